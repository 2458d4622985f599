/**
 * Imported states that wait until their breakers are made. They travel with the region's handle, so
 * whichever thread makes a breaker has its state, and options are those of the code that makes it.
 *
 * A thread that gets hold of a breaker gives it its state before it makes any call:
 *
 *   give   one transition from closed, as the STATE word was seen
 *   mark   the breaker's mark, shared by all threads: it has had its state
 *
 * 1. The transition is decided once (protocol/state.ts), so of several threads one gives the state.
 * 2. Whoever dies before it leaves the breaker closed and without a mark: the next thread gives it.
 *    Whoever dies after it leaves a breaker that is not closed: the next thread only marks.
 * 3. Nobody closes a breaker again without having got hold of it, which marks it. STATE is read
 *    before the mark: closed and unmarked means that it never had its state.
 * 4. So it is given once in a region's life, also where the breaker is removed and made again.
 */
import { types } from 'node:util'
import { load, store, viewsOf } from '#atomics'
import { OptionsMismatchError, RegionError } from '../errors.ts'
import type { Memory } from '../memory/atomics.ts'
import type { WarmStartHandle } from '../memory/handle.ts'
import { OPTION } from '../memory/layout.ts'
import {
  CLOSED,
  DISABLED,
  FORCED_OPEN,
  METRICS_ONLY,
  OPEN,
  stateOf,
} from '../memory/words/state.ts'
import type { ExportedBreaker } from '../options/types.ts'
import type { Cell } from '../protocol/cell.ts'
import { type TransitionDetail, transition } from '../protocol/state.ts'
import { readBreakers, readImport } from './read.ts'

const MARKED = 1

const TARGETS = {
  open: OPEN,
  'forced-open': FORCED_OPEN,
  disabled: DISABLED,
  'metrics-only': METRICS_ONLY,
} as const

/** What history and refusals say where the export has no reason of its own. */
const IMPORTED = 'imported'

const encoder = new TextEncoder()

/** Bytes of a mark for each: whole longs, as all shared memory is. */
function bytesOf(breakers: readonly unknown[]): number {
  return Math.ceil(breakers.length / 2) * BigInt64Array.BYTES_PER_ELEMENT
}

/** What travels with the region's handle; undefined when nothing waits. */
export function warmStartHandle(breakers: readonly ExportedBreaker[]): WarmStartHandle | undefined {
  if (breakers.length === 0) return undefined
  return Object.freeze({ breakers, marks: new SharedArrayBuffer(bytesOf(breakers)) })
}

/**
 * Refuses an import that is not what the region was made with.
 *
 * @throws InvalidOptionError, OptionsMismatchError
 */
export function requireSameImport(made: WarmStartHandle | undefined, given: unknown): void {
  const before = made?.breakers ?? []
  const asked = readImport('options.import', given)
  if (JSON.stringify(before) === JSON.stringify(asked)) return
  throw new OptionsMismatchError(
    'the registry',
    { import: `an export of ${before.length} breakers` },
    { import: `another one, of ${asked.length}` },
  )
}

interface Waiting {
  /** The number of its mark. */
  readonly number: number
  readonly breaker: ExportedBreaker
}

/** The states that wait, as one thread sees them. */
export class WarmStart {
  readonly #waiting = new Map<string, Waiting>()
  readonly #marks: Memory

  /** @throws InvalidOptionError, RegionError */
  constructor({ breakers, marks }: WarmStartHandle) {
    const read = readBreakers('handle.warmStart.breakers', breakers)
    if (!(types.isSharedArrayBuffer(marks) && marks.byteLength === bytesOf(read))) {
      throw new RegionError("the handle's warm start has no marks for its breakers")
    }
    this.#marks = viewsOf(marks)
    read.forEach((breaker, number) => {
      this.#waiting.set(breaker.name, { number, breaker })
    })
  }

  /** Gives the breaker of that name its state, if one waits for it. */
  give(name: string, cell: Cell): void {
    const waiting = this.#waiting.get(name)
    if (waiting === undefined) return
    // ATOMIC warm.give
    //   observes:  STATE before the mark: closed and unmarked is as it was made (warm.mark).
    //   publishes: the state, by state.decide.
    //   loses to:  another thread that gives it: then the breaker has it.
    //   dies here: the next thread that gets hold of the breaker gives it, or finds it given.
    const seen = load(cell.memory, cell.state)
    if (load(this.#marks, waiting.number) === MARKED) return
    if (stateOf(seen) === CLOSED) {
      const { breaker } = waiting
      transition(cell, seen, TARGETS[breaker.state], detailOf(breaker, cell))
    }
    // ATOMIC warm.mark
    //   publishes: that the breaker has had its state.
    //   dies here: the next thread marks it.
    store(this.#marks, waiting.number, MARKED)
  }

  /**
   * Those whose breakers nobody has made by `now`, as they would be exported. Of an open one whose
   * wait is over nothing is left that matters: nobody has called its dependency since.
   */
  left(now: number): ExportedBreaker[] {
    const left: ExportedBreaker[] = []
    for (const { number, breaker } of this.#waiting.values()) {
      if (load(this.#marks, number) === MARKED) continue
      const { remainingMs } = breaker
      if (remainingMs === undefined) left.push({ ...breaker })
      else if (remainingMs > now) left.push({ ...breaker, remainingMs: remainingMs - now })
    }
    return left
  }
}

function detailOf(breaker: ExportedBreaker, cell: Cell): TransitionDetail {
  const sinceMs = cell.clock.now()
  const { openings, reason = IMPORTED } = breaker
  return {
    sinceMs,
    untilMs: untilOf(breaker, cell, sinceMs),
    openings,
    counts: undefined,
    byHand: true,
    reason: encoder.encode(reason),
  }
}

/**
 * When the wait is over: what remained of it after the region's time zero, which is the import. No
 * opening waits longer than the longest wait of the breaker's options, whatever they were before.
 */
function untilOf(
  { state, remainingMs = Number.POSITIVE_INFINITY }: ExportedBreaker,
  { numbers }: Cell,
  sinceMs: number,
): number | undefined {
  if (state === 'forced-open') return remainingMs
  if (state !== 'open') return undefined
  const maxMs = numbers[OPTION.WAIT_MAX_MS] as number
  const longestMs = maxMs * (1 + (numbers[OPTION.WAIT_JITTER] as number))
  return Math.min(remainingMs, sinceMs + longestMs)
}
