/**
 * Trials of a half-open breaker: places, not a count (P2, P3).
 *
 * A place is { generation, kind, claim, slot }; a place of another generation reads as free. Beside
 * it stands its lease { claim, end }. A place is claimed, settled and given back by one CAS each,
 * and its claim number goes up with every claim, so that a permit, which names generation, place
 * and claim, can settle only what it holds.
 *
 * 1. There are as many places as permitted trials, and a claim takes one: no more are in flight.
 * 2. A lease that is over stays over. So an outlived trial is not marked: who looks, sees it.
 * 3. A claimer that dies before writing its lease leaves a claim without one. The first who looks
 *    writes it, so every claim ends at the latest one lease after it was first seen.
 * 4. With every place settled or outlived the verdict is a function of the places alone: whoever
 *    asks next finishes what a dead thread left undone.
 */
import { compareExchange64, load, load64 } from '#atomics'
import { PLACE_LONGS } from '../memory/layout.ts'
import { CLOSED, generationOf, isLater, OPEN } from '../memory/words/state.ts'
import { isTimedOf, packTimed, timeOf } from '../memory/words/timed.ts'
import {
  CLAIM_MASK,
  CLAIMED,
  FAILED,
  FREE,
  isLowOf,
  packPlace,
  packTrialPermit,
  REFUSED,
  SUCCEEDED,
  unpackPlace,
  unpackTrialPermit,
} from '../memory/words/trials.ts'
import { type Cell, reportDamage } from './cell.ts'

/** `claimTrial` answers this when STATE has moved: look at it again. */
export const MOVED = -2

/** Each one lost is a call of another thread, or the one settling of an older trial. */
const CLAIM_ATTEMPTS = 64

/** A claim moves to another slot once. */
const SETTLE_ATTEMPTS = 2

/** An earlier claimer can be late with one lease; more at once leave it to the next who looks. */
const LEASE_ATTEMPTS = 4

function placeLong(cell: Cell, place: number): number {
  return (cell.record + cell.shape.trials) / 2 + place * PLACE_LONGS
}

/** Takes the first free place: a permit, REFUSED when there is none, or MOVED. */
export function claimTrial(cell: Cell, seen: number, slot: number): number {
  for (let place = 0; place < cell.trials; place++) {
    const permit = claimPlace(cell, seen, slot, place)
    if (permit !== REFUSED) return permit
  }
  return REFUSED
}

/** The same of one place. */
function claimPlace(cell: Cell, seen: number, slot: number, place: number): number {
  const generation = generationOf(seen)
  const at = placeLong(cell, place)
  for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
    // ATOMIC trials.claim
    //   observes:  free, or a word of an older generation (pairs with settle and claim).
    //   publishes: our slot and claim, before the call starts.
    //   loses to:  another claimer, or the settler of an older trial, which leaves the place free:
    //              look again, at the bound the next place; a transition: give back, look again.
    //   dies here: before the CAS nothing happened; after it the place ends with its lease.
    //   wraps:     22 bits of claim: a stale settle needs 4,194,304 claims within one generation.
    const found = load64(cell.memory, at)
    const old = unpackPlace(found)
    if (old.generation === generation && old.kind !== FREE) return REFUSED
    // Another generation's word is an older one's, however old, unless STATE has moved.
    if (load(cell.memory, cell.state) !== seen) return MOVED
    const claim = (old.claim + 1) & CLAIM_MASK
    const mine = packPlace(generation, CLAIMED, claim, slot)
    if (compareExchange64(cell.memory, at, found, mine) !== found) continue
    leaseEnd(cell, at, mine, claim, cell.clock.now())
    if (load(cell.memory, cell.state) === seen) return packTrialPermit(generation, place, claim)
    compareExchange64(cell.memory, at, mine, packPlace(generation, FREE, claim, slot))
    return MOVED
  }
  return REFUSED
}

/** When the lease of the claim `word` ends. Writes it where the claimer has not yet. */
function leaseEnd(cell: Cell, at: number, word: bigint, claim: number, now: number): number {
  for (let attempt = 0; attempt < LEASE_ATTEMPTS; attempt++) {
    // ATOMIC trials.lease
    //   observes:  the lease of this claim, or of an earlier one, while the claim stands.
    //   publishes: the end of this claim's lease, once.
    //   loses to:  another writer for this claim: its end holds for all; one for an earlier claim,
    //              which was late: again.
    //   dies here: the next who looks writes it.
    //   wraps:     13 bits of claim: a lease left unwritten for 8,192 claims of its place.
    const found = load64(cell.memory, at + 1)
    if (isTimedOf(found, claim) && !isTooLate(cell, timeOf(found), now)) return timeOf(found)
    const end = packTimed(claim, cell.clock.now() + cell.trialTimeoutMs)
    if (load64(cell.memory, at) !== word) break
    if (compareExchange64(cell.memory, at + 1, found, end) === found) return timeOf(end)
  }
  return Number.POSITIVE_INFINITY
}

/** Whether a lease ends later than any that was written by now: then its word is damaged. */
function isTooLate(cell: Cell, end: number, now: number): boolean {
  const longest = cell.longestLeaseMs + 0.001
  // The claim may be younger than `now`.
  if (end - now <= longest || end - cell.clock.now() <= longest) return false
  reportDamage(cell.memory, 'the lease of a trial')
  return true
}

/** What the places of a generation say. */
export interface TrialView {
  free: number
  inFlight: number
  succeeded: number
  failed: number
  outlived: number
  earliestOutlived: number
  latestOutlived: number
  earliestLive: number
}

export function viewTrials(cell: Cell, generation: number, now: number): TrialView {
  const view: TrialView = {
    free: 0,
    inFlight: 0,
    succeeded: 0,
    failed: 0,
    outlived: 0,
    earliestOutlived: Number.POSITIVE_INFINITY,
    latestOutlived: Number.NEGATIVE_INFINITY,
    earliestLive: Number.POSITIVE_INFINITY,
  }
  for (let place = 0; place < cell.trials; place++) {
    const at = placeLong(cell, place)
    const word = load64(cell.memory, at)
    const { generation: of, kind, claim } = unpackPlace(word)
    if (of !== generation || kind === FREE) view.free++
    else if (kind === SUCCEEDED) view.succeeded++
    else if (kind === FAILED) view.failed++
    else viewLease(view, leaseEnd(cell, at, word, claim, now), now)
  }
  return view
}

function viewLease(view: TrialView, end: number, now: number): void {
  if (now >= end) {
    view.outlived++
    view.earliestOutlived = Math.min(view.earliestOutlived, end)
    view.latestOutlived = Math.max(view.latestOutlived, end)
  } else {
    view.inFlight++
    view.earliestLive = Math.min(view.earliestLive, end)
  }
}

/** What the trials have decided, and since when. */
export interface Verdict {
  readonly target: number
  readonly sinceMs: number
  /** The trials that decided. */
  readonly succeeded: number
  readonly failed: number
}

/**
 * What an asker has to carry out before it may claim a place (spec 2.6): outlived trials have
 * failed, at the ends of their leases; who settled the last place and died left a verdict.
 */
export function verdictForAsker(cell: Cell, view: TrialView, now: number): Verdict | undefined {
  const rate = cell.trialFailureRate
  if (rate > 0) {
    const sinceMs = view.outlived > 0 ? view.latestOutlived : now
    return verdictByRate(cell, view.succeeded, view.failed + view.outlived, sinceMs)
  }
  const sinceMs = view.outlived > 0 ? view.earliestOutlived : now
  return verdictStrict(cell, view.succeeded, view.failed + view.outlived, sinceMs)
}

/** What a settled trial decides. Leases of others are not looked at. */
function verdictForSettler(cell: Cell, view: TrialView, now: number): Verdict | undefined {
  return cell.trialFailureRate > 0
    ? verdictByRate(cell, view.succeeded, view.failed, now)
    : verdictStrict(cell, view.succeeded, view.failed, now)
}

function verdictStrict(
  cell: Cell,
  succeeded: number,
  failed: number,
  sinceMs: number,
): Verdict | undefined {
  if (failed > 0) return { target: OPEN, sinceMs, succeeded, failed }
  return succeeded === cell.trials ? { target: CLOSED, sinceMs, succeeded, failed } : undefined
}

function verdictByRate(
  cell: Cell,
  succeeded: number,
  failed: number,
  sinceMs: number,
): Verdict | undefined {
  if (succeeded + failed < cell.trials) return undefined
  const target = failed / cell.trials >= cell.trialFailureRate ? OPEN : CLOSED
  return { target, sinceMs, succeeded, failed }
}

/** How a trial ended: FREE for ignored, SUCCEEDED or FAILED. */
export type TrialOutcome = typeof FREE | typeof SUCCEEDED | typeof FAILED

export interface Settled {
  /** True when the permit held nothing any more. */
  readonly late: boolean
  readonly verdict: Verdict | undefined
}

const LATE: Settled = Object.freeze({ late: true, verdict: undefined })

/** Settles the trial that `permit` names, if that is still its place's claim, and judges. */
export function settleTrial(
  cell: Cell,
  seen: number,
  permit: number,
  outcome: TrialOutcome,
): Settled {
  const generation = generationOf(seen)
  const { place, claim, generationLow } = unpackTrialPermit(permit)
  if (!(Number.isSafeInteger(permit) && place < cell.mostTrials)) return LATE
  if (!isLowOf(generationLow, generation)) return LATE
  const at = placeLong(cell, place)
  for (let attempt = 0; attempt < SETTLE_ATTEMPTS; attempt++) {
    // ATOMIC trials.settle
    //   observes:  our claim (pairs with trials.claim).
    //   publishes: the outcome; the verdict follows from the places.
    //   loses to:  a reaper or a second use of the permit: then it is late; the holder of its slot
    //              leaving the region (trials.reap), which keeps the claim, once: look again.
    //   dies here: after the CAS the next asker finds the verdict in the places.
    //   wraps:     as trials.claim.
    const word = load64(cell.memory, at)
    const held = unpackPlace(word)
    if (held.generation !== generation || held.kind !== CLAIMED || held.claim !== claim) return LATE
    const now = cell.clock.now()
    if (now >= leaseEnd(cell, at, word, claim, now)) {
      const verdict = verdictForAsker(cell, viewTrials(cell, generation, now), now)
      return { late: true, verdict }
    }
    const settled = packPlace(generation, outcome, claim, held.slot)
    // Counted from here on, also if the generation has ended since `seen` was: an asker may have
    // carried out the verdict of this very outcome.
    if (compareExchange64(cell.memory, at, word, settled) !== word) continue
    if (outcome === FREE) return { late: false, verdict: undefined }
    return { late: false, verdict: verdictForSettler(cell, viewTrials(cell, generation, now), now) }
  }
  return LATE
}

/**
 * Changes hands of the places that `slot` holds in the current generation: to free (0 claims kept)
 * when the thread is dead, or to the overflow slot when a living thread gives its slot back.
 * `stillHeld` is asked after each word was read and before it is replaced.
 */
export function releasePlacesOf(
  cell: Cell,
  slot: number,
  fate: 'free' | 'overflow',
  stillHeld: () => boolean,
): void {
  for (let place = 0; place < cell.mostTrials; place++) {
    // ATOMIC trials.reap
    //   observes:  a claim of a slot whose holder is known dead, or is the caller.
    //   loses to:  another reaper.
    //   dies here: the slot is not free yet, so the next reaper comes by.
    const at = placeLong(cell, place)
    const word = load64(cell.memory, at)
    const { generation, kind, claim, slot: holder } = unpackPlace(word)
    if (kind !== CLAIMED || holder !== slot) continue
    // What had the record before has left claims that nobody settles any more.
    if (isLater(cell.first, generation)) continue
    const now = cell.clock.now()
    if (now >= leaseEnd(cell, at, word, claim, now) || !stillHeld()) continue
    const kept = fate === 'free' ? FREE : CLAIMED
    compareExchange64(cell.memory, at, word, packPlace(generation, kept, claim, 0))
  }
}
