/**
 * The calls of one thread that wait for a place of a bulkhead, in the order in which they came. One
 * leaves with a place, when its signal aborts, or when it has waited for as long as it may.
 *
 * The thread looks for a place when it frees one itself, when another thread says that it has freed
 * one, and every few ms, because nothing may depend on being told. Its timer keeps the process
 * alive: calls wait.
 */
import { whenNotified } from '#atomics'
import { BulkheadFullError } from '../errors.ts'
import { BULKHEAD_OPTION } from '../memory/controls.ts'
import { REFUSED } from '../memory/words/trials.ts'
import type { BulkheadCore, Waiters } from '../protocol/bulkhead-core.ts'
import type { Control } from '../protocol/control.ts'
import {
  clearHint,
  joinQueue,
  leaveQueue,
  releasesSeen,
  releasesWord,
} from '../protocol/waiting.ts'

const LOOK_EVERY_MS = 5

/** Each one lost is a place that became free meanwhile. */
const LISTEN_ATTEMPTS = 4

interface Waiter {
  readonly queuePlace: number
  readonly arrivedAt: number
  resolve(permit: number): void
  reject(reason: unknown): void
  /** Ends to listen to the caller's signal. */
  unlisten(): void
}

export class BulkheadQueue implements Waiters {
  readonly #control: Control
  readonly #core: BulkheadCore
  readonly #maxConcurrentCalls: number
  readonly #maxWaitMs: number
  /** In the order in which they came. */
  readonly #waiters = new Set<Waiter>()
  #lastPlace = 0
  #timer: NodeJS.Timeout | undefined
  #isListening = false

  constructor(core: BulkheadCore) {
    this.#core = core
    this.#control = core.cell
    this.#maxConcurrentCalls = this.#control.numbers[BULKHEAD_OPTION.MAX_CONCURRENT] as number
    this.#maxWaitMs = this.#control.numbers[BULKHEAD_OPTION.MAX_WAIT_MS] as number
    core.waiters = this
  }

  get size(): number {
    return this.#waiters.size
  }

  /**
   * Resolves with a permit. Rejects with the signal's reason, or with BulkheadFullError when the
   * wait is over. Undefined: the queue is full.
   */
  join(signal: AbortSignal | undefined): Promise<number> | undefined {
    const arrivedAt = this.#control.clock.now()
    const queuePlace = joinQueue(this.#control, this.#lastPlace + 1, arrivedAt)
    if (queuePlace < 0) return undefined
    this.#lastPlace = queuePlace
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#remove(waiter)
        reject(signal?.reason)
      }
      const unlisten = (): void => signal?.removeEventListener('abort', onAbort)
      const waiter = { queuePlace, arrivedAt, resolve, reject, unlisten }
      signal?.addEventListener('abort', onAbort)
      this.#waiters.add(waiter)
      this.#look()
    })
  }

  admitNext(): boolean {
    const now = this.#control.clock.now()
    this.#refuseOverdue(now)
    const [first] = this.#waiters
    if (first === undefined) return false
    const permit = this.#core.takeInTurn(now, now - first.arrivedAt)
    if (permit === REFUSED) return false
    this.#remove(first)
    first.resolve(permit)
    return true
  }

  #refuseOverdue(now: number): void {
    for (const waiter of this.#waiters) {
      const waitedMs = now - waiter.arrivedAt
      // They came one after the other and may wait equally long.
      if (waitedMs < this.#maxWaitMs) return
      this.#remove(waiter)
      this.#core.refuse()
      waiter.reject(this.#overdue(waitedMs))
    }
  }

  #overdue(waitedMs: number): BulkheadFullError {
    const { name } = this.#control
    return new BulkheadFullError(name, this.#maxConcurrentCalls, Math.max(1, Math.round(waitedMs)))
  }

  #remove(waiter: Waiter): void {
    this.#waiters.delete(waiter)
    waiter.unlisten()
    leaveQueue(this.#control, waiter.queuePlace)
    if (this.#waiters.size > 0) return
    clearHint(this.#control)
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Lets in whom it can, and sees to it that it looks again while somebody waits. */
  #look(): void {
    for (let attempt = 0; attempt < LISTEN_ATTEMPTS; attempt++) {
      const seen = releasesSeen(this.#control)
      for (let left = this.size; left > 0 && this.admitNext(); left--);
      if (this.size === 0) return
      if (this.#listen(seen)) break
    }
    this.#timer ??= setTimeout(() => this.#lookByTimer(), this.#lookAgainMs())
  }

  #lookByTimer(): void {
    this.#timer = undefined
    this.#look()
  }

  #lookAgainMs(): number {
    const [first] = this.#waiters
    const waitedMs = this.#control.clock.now() - (first?.arrivedAt ?? 0)
    return Math.min(LOOK_EVERY_MS, this.#maxWaitMs - waitedMs)
  }

  /** False: places became free since `seen` was read. */
  #listen(seen: number): boolean {
    if (this.#isListening) return true
    const { memory } = this.#control
    const notified = whenNotified(memory, releasesWord(this.#control), seen)
    if (notified === undefined) return false
    this.#isListening = true
    notified.then(() => {
      this.#isListening = false
      this.#look()
    })
    return true
  }
}
