/**
 * What the scenarios of opening in time share: recorders that say what they have finished, and
 * checks of every state against that.
 */
import { readOwn } from '#atomics'
import { HEADER } from '../../../src/memory/layout.ts'
import { CLOSED, generationOf, OPEN, stateOf } from '../../../src/memory/words/state.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { readTrip } from '../../../src/protocol/state.ts'
import { reachesThreshold, type Thresholds } from '../../../src/protocol/threshold.ts'
import { emptyCounts, FAILED_KIND, GOOD } from '../../../src/protocol/window.ts'
import { checkState, type World } from '../build.ts'
import { machine, note, ready } from '../machine.ts'
import { check, type Mark } from '../scenario.ts'
import type { Kind } from './window-world.ts'

export const G = GOOD
export const B = FAILED_KIND

/** An outcome that counted, and between which two looks at the clock (ms) it was recorded. */
interface Finished {
  readonly generation: number
  readonly kind: Kind
  readonly from: number
  readonly to: number
}

/** In one number, since notes are hashed at every death: { to 10 | from 10 | generation 4 | kind 1 }. */
function pack({ generation, kind, from, to }: Finished): number {
  return (to << 15) | (from << 5) | (generation << 1) | kind
}

function unpack(word: number): Finished {
  const kind = (word & 1) === GOOD ? GOOD : FAILED_KIND
  return { generation: (word >> 1) & 15, kind, from: (word >> 5) & 1023, to: word >> 15 }
}

/** Good and bad outcomes. */
export interface Outcomes {
  readonly good: number
  readonly bad: number
}

/**
 * Records `kinds` one after the other until refused; says, and returns, what counted. What comes
 * `before` is over when the search begins.
 */
export function recorder(
  { memory, cell }: World,
  slot: number,
  kinds: readonly Kind[],
  before: readonly Kind[] = [],
): () => readonly number[] {
  // No step of its own: the time at the last one.
  const now = (): number => readOwn(memory, HEADER.MANUAL_CLOCK_LONG * 2) / 1000
  return () => {
    const core = new Core(cell, slot)
    const finished: number[] = []
    const record = (kind: Kind): void => {
      const generation = core.tryAcquire()
      if (generation < 0) return
      const from = now()
      const counted =
        kind === GOOD ? core.recordSuccess(generation) : core.recordFailure(generation)
      if (counted) finished.push(pack({ generation, kind, from, to: now() }))
      note(finished)
    }
    for (const kind of before) record(kind)
    ready()
    for (const kind of kinds) record(kind)
    return finished
  }
}

/** What the threads say that they have finished; the set-up's outcomes are of the caller's. */
export function finishedWhere(holds: (outcome: Finished) => boolean): Outcomes {
  let good = 0
  let bad = 0
  for (const { note: said } of machine.threads) {
    if (!Array.isArray(said)) continue
    for (const word of said as readonly number[]) {
      const outcome = unpack(word)
      if (!holds(outcome)) continue
      if (outcome.kind === GOOD) good++
      else bad++
    }
  }
  return { good, bad }
}

/** What a reader finds in the window of a generation. Most steps only read: it is kept. */
function reader({ cell, clock }: World): (generation: number) => Outcomes {
  const { window } = new Core(cell, 1)
  const counts = emptyCounts()
  let low = Number.NaN
  let high = Number.NaN
  let of = Number.NaN
  return generation => {
    if (low !== machine.memoryLow || high !== machine.memoryHigh || of !== generation) {
      window.sum(generation, clock.now(), counts)
    }
    low = machine.memoryLow
    high = machine.memoryHigh
    of = generation
    return { good: counts.calls - counts.failures, bad: counts.failures }
  }
}

function reaches(good: number, bad: number, thresholds: Thresholds): boolean {
  return reachesThreshold({ ...emptyCounts(), calls: good + bad, failures: bad }, thresholds)
}

/**
 * P4, where time stands still. Of the outcomes in the window some may be of recorders in their
 * midst, dead ones for ever: all those that no recorder has finished. A closed breaker would stay
 * closed without some of these. So with no recorder in its midst it has opened on exactly the
 * outcome that fills the threshold, and a closed one is late by one outcome for each in its midst.
 *
 * To be called when the set-up is over: what is in the window then is finished.
 */
export function opensInTime(made: World): (mark: Mark) => void {
  const { memory, cell } = made
  const { thresholds } = new Core(cell, 1)
  const read = reader(made)
  const setUp = read(generationOf(memory[cell.state] as number))
  const first = generationOf(memory[cell.state] as number)
  return mark => {
    checkState(cell)
    const seen = memory[cell.state] as number
    const generation = generationOf(seen)
    if (stateOf(seen) === OPEN) {
      const trip = readTrip(cell, generation)
      const { calls, failures } = trip ?? { calls: 0, failures: 0 }
      const isEnough = trip === undefined || reaches(calls - failures, failures, thresholds)
      check(isEnough, `opened by ${failures} bad of ${calls}`)
    }
    if (stateOf(seen) !== CLOSED) return
    const { good, bad } = read(generation)
    if (!reaches(good, bad, thresholds)) return
    const done = finishedWhere(outcome => outcome.generation === generation)
    const known = generation === first ? setUp : { good: 0, bad: 0 }
    const pending = { good: good - done.good - known.good, bad: bad - done.bad - known.bad }
    check(pending.good >= 0 && pending.bad >= 0, 'an outcome is not in the window')
    check(isClosedWithout(good, bad, pending, thresholds), `closed at ${bad} bad of ${good + bad}`)
    mark(machine.threads.every(({ alive }) => alive) ? 'overlap' : 'a death makes late')
  }
}

/** Whether some of the pending outcomes less would not reach the threshold. */
function isClosedWithout(
  good: number,
  bad: number,
  pending: Outcomes,
  thresholds: Thresholds,
): boolean {
  for (let fewerGood = 0; fewerGood <= pending.good; fewerGood++) {
    for (let fewerBad = 0; fewerBad <= pending.bad; fewerBad++) {
      if (!reaches(good - fewerGood, bad - fewerBad, thresholds)) return true
    }
  }
  return false
}

/**
 * Where time moves: a reader of any generation up to the current one finds of its outcomes no more
 * than can have been recorded in the buckets of the window; of the current one no fewer than
 * surely were. One more of each kind may be of a recorder in its midst. For worlds without
 * outcomes of the set-up.
 */
export function countsRightly(made: World, bucketMs: number, buckets: number): () => void {
  const { memory, cell, clock } = made
  const read = reader(made)
  return () => {
    checkState(cell)
    const current = generationOf(memory[cell.state] as number)
    const oldest = (Math.floor(clock.now() / bucketMs) - buckets + 1) * bucketMs
    for (let generation = 0; generation <= current; generation++) {
      const { good, bad } = read(generation)
      const can = finishedWhere(of => of.generation === generation && of.to >= oldest)
      const found = `${good} good and ${bad} bad outcomes of generation ${generation}`
      check(good <= can.good + 1 && bad <= can.bad + 1, `${found}, more than there were`)
      if (generation < current) continue
      const sure = finishedWhere(of => of.generation === generation && of.from >= oldest)
      check(good >= sure.good && bad >= sure.bad, `${found}, fewer than there were`)
    }
  }
}
