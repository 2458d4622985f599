/** `execute` through a bulkhead whose calls may wait: as runAsync (execute.ts), and the wait. */
import { type Call, orFallback, type RefusalNote, runPermitted } from '../execute.ts'
import { REFUSED } from '../memory/words/trials.ts'
import { type ExecuteOptions, readExecuteOptions, requireFunction } from '../options/execute.ts'
import type { BulkheadCore } from '../protocol/bulkhead-core.ts'
import type { Guard } from '../settlement.ts'
import type { BulkheadQueue } from './bulkhead-queue.ts'

type Fn<T> = (call: Call) => T | PromiseLike<T>

/** A bulkhead's guard, and where its calls wait. */
export interface QueuedGuard extends Guard {
  readonly core: BulkheadCore
  readonly queue: BulkheadQueue
}

interface Wanted<T> extends ExecuteOptions<T> {
  readonly fn: Fn<T>
  readonly note: RefusalNote | undefined
}

export function runOrWait<T>(
  guard: QueuedGuard,
  fn: Fn<T>,
  options: ExecuteOptions<T> | undefined,
  note?: RefusalNote,
): Promise<T> {
  try {
    requireFunction(fn)
    const read = options === undefined ? {} : readExecuteOptions(options)
    const { fallback } = read
    const made = callOrWait(guard, { ...read, fn, note })
    return fallback === undefined ? made : orFallback(made, fallback)
  } catch (error) {
    return Promise.reject(error)
  }
}

function callOrWait<T>(guard: QueuedGuard, wanted: Wanted<T>): Promise<T> {
  const { signal } = wanted
  if (signal?.aborted) return Promise.reject(signal.reason)
  const permit = guard.core.take()
  if (permit !== REFUSED) return call(guard, permit, wanted)
  const waiting = guard.queue.join(signal)
  if (waiting !== undefined) return callAfter(guard, waiting, wanted)
  guard.core.refuse()
  if (wanted.note !== undefined) wanted.note.refused = true
  return guard.refusals.promise()
}

async function callAfter<T>(
  guard: QueuedGuard,
  waiting: Promise<number>,
  wanted: Wanted<T>,
): Promise<T> {
  const { signal, note } = wanted
  let permit: number
  try {
    permit = await waiting
  } catch (error) {
    if (note !== undefined) note.refused = !signal?.aborted
    throw error
  }
  if (signal?.aborted) {
    guard.core.release(permit)
    throw signal.reason
  }
  return call(guard, permit, wanted)
}

function call<T>(guard: QueuedGuard, permit: number, wanted: Wanted<T>): Promise<T> {
  return runPermitted(guard, permit, wanted.fn, wanted.signal, wanted.timeoutMs)
}
