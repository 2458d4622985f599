/** Which breaker of a group makes room for another: the one that was idle for longest. */
import { load, loadDouble } from '#atomics'
import { TALLY } from '../memory/layout.ts'
import { CLOSED, REMOVED, stateOf } from '../memory/words/state.ts'
import { type Cell, isCountedFor, tallyOf } from './cell.ts'
import { cellOf, type Directory, type Entry } from './directory.ts'
import { begin } from './removal.ts'
import { OVERFLOW_SLOT, slotsInUse } from './slots.ts'
import { at, transition } from './state.ts'
import { readTotals } from './totals.ts'

/** How many are found in one look at all of them: this part, and at least one. */
const BATCH_SHARE = 1 / 8

/** A breaker as it was when all were looked at. */
interface Candidate {
  readonly cell: Cell
  readonly usedAt: number
  readonly admitted: number
}

/**
 * A breaker is used when it is looked up by its key, which each thread notes in its own tally, and
 * when it lets a call through, which who looks again finds in its totals. So a call costs nothing
 * more; and who makes room looks at all breakers only for every eighth part of them.
 */
export class IdleBreakers {
  readonly #directory: Directory
  readonly #belongs: (entry: Entry) => boolean
  readonly #idleAfterMs: number
  /** What was seen when all were looked at last, by the number of the record. */
  #seen = new Map<number, Candidate>()
  /** Those that were idle for longest then, the longest last. */
  #queue: Candidate[] = []

  constructor(directory: Directory, belongs: (entry: Entry) => boolean, idleAfterMs: number) {
    this.#directory = directory
    this.#belongs = belongs
    this.#idleAfterMs = idleAfterMs
  }

  /** Removes the longest idle breaker that may go; whether there was one. */
  removeOne(): boolean {
    if (this.#removeQueued()) return true
    this.#lookAtAll()
    return this.#removeQueued()
  }

  #removeQueued(): boolean {
    for (let candidate = this.#queue.pop(); candidate; candidate = this.#queue.pop()) {
      if (this.#remove(candidate)) return true
    }
    return false
  }

  /** Whether it is still there, closed, not used since, and nothing is in flight: else it stays. */
  #mayGo({ cell, usedAt, admitted }: Candidate, seen: number): boolean {
    if (stateOf(seen) !== CLOSED) return false
    const entry = this.#directory.at(cell.breaker)
    if (entry?.first !== cell.first || !this.#directory.isPresent(entry)) return false
    const totals = readTotals(cell)
    return usedAtOf(cell) <= usedAt && totals.admitted === admitted && totals.inFlight === 0
  }

  /**
   * STATE is read first, the entry after it: so it is this breaker's, not that of another which has
   * its record by now. Its maker may not have come to begin it.
   */
  #remove(candidate: Candidate): boolean {
    const { cell } = candidate
    begin(cell)
    const seen = load(cell.memory, cell.state)
    if (!this.#mayGo(candidate, seen)) return false
    return transition(cell, seen, REMOVED, at(cell.clock.now()))
  }

  #lookAtAll(): void {
    const { region, id } = this.#directory
    const now = region.clock.now()
    const before = this.#seen
    this.#seen = new Map()
    const idle: Candidate[] = []
    for (const entry of this.#directory.present()) {
      if (!this.#belongs(entry)) continue
      const candidate = lookAt(cellOf(region, entry, id), before.get(entry.number), now)
      this.#seen.set(entry.number, candidate)
      // A thread that has not read its clock may note a time that is still to come, by two ticks.
      if (Math.max(0, now - candidate.usedAt) >= this.#idleAfterMs) idle.push(candidate)
    }
    idle.sort((a, b) => b.usedAt - a.usedAt)
    this.#queue = idle.slice(-Math.max(1, Math.ceil(idle.length * BATCH_SHARE)))
  }
}

function lookAt(cell: Cell, before: Candidate | undefined, now: number): Candidate {
  const { admitted } = readTotals(cell)
  const known = before?.cell.first === cell.first ? before : undefined
  const isCalled = known !== undefined && known.admitted !== admitted
  const last = isCalled ? now : Math.max(usedAtOf(cell), known?.usedAt ?? 0)
  return { cell, usedAt: last, admitted }
}

/** When any thread looked the breaker up by its key, at the latest; else when it was made. */
function usedAtOf(cell: Cell): number {
  let last = cell.createdAt
  for (let slot = OVERFLOW_SLOT; slot <= slotsInUse(cell.memory, cell.region); slot++) {
    if (!isCountedFor(cell, slot)) continue
    const used = loadDouble(cell.memory, tallyOf(cell, slot) + TALLY.USED_DOUBLE)
    if (used > last) last = used
  }
  return last
}
