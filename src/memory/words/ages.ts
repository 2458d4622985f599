/**
 * Calls in flight, told by age. Pure functions, no memory. Time goes in steps; a call is of the
 * step in which it began.
 *
 *   STAMP   30 bits   number of the step mod 20 * 2^25, or -1 while the owner turns the bucket over
 *   TURN    28 bits   generation
 *   COUNT   32 bits   { epoch of the slot 11 | calls 21 }
 *   permit  31 bits   { lap 10 | place 5 | generation's low 16 }
 *
 * A permit of a breaker that tells ages names the bucket in which its call was counted: its place
 * in the ring and, of its stamp, how many laps the ring has made. It is a small integer, so that no
 * call allocates.
 */
import { AGE_BUCKETS, AGE_STEPS } from '../layout.ts'

/** So many steps after its own a call has surely been in flight for longer than AGE_STEPS. */
const HANGS_AFTER = AGE_STEPS + 1

/** Steps are at least so long, in milliseconds: shorter ones would be summed more often. */
const SHORTEST_STEP_MS = 1

/** How long a step is, in milliseconds. */
export function ageStepMs(slowCallDurationThresholdMs: number): number {
  return Math.max(slowCallDurationThresholdMs / AGE_STEPS, SHORTEST_STEP_MS)
}

/** A whole number of laps, so that place and lap follow from the stamp. */
const LAPS = 2 ** 25
const AGE_STAMPS = AGE_BUCKETS * LAPS

export function ageStampOf(step: number): number {
  return (step % AGE_STAMPS) | 0
}

/** The place in the ring, of a step or of its stamp. */
export function agePlaceOf(step: number): number {
  return step % AGE_BUCKETS
}

/**
 * Whether calls with that stamp hang in `step`. Stamps still to come were written by threads whose
 * look at the clock came after the caller's.
 */
export function isHanging(stamp: number, step: number): boolean {
  const age = (ageStampOf(step) - stamp + AGE_STAMPS) % AGE_STAMPS
  return age >= HANGS_AFTER && age < AGE_STAMPS / 2
}

const AGE_EPOCH_BITS = 11
export const AGE_CALLS_BITS = 21
const EPOCHS = 2 ** AGE_EPOCH_BITS

/** The most calls that one bucket can tell of. */
const MOST_CALLS = 2 ** AGE_CALLS_BITS - 1

export function packAgeCount(epoch: number, calls: number): number {
  return ((epoch % EPOCHS) << AGE_CALLS_BITS) | Math.max(0, Math.min(calls, MOST_CALLS))
}

/** Whether that holder of the slot wrote it. */
export function isCountOf(count: number, epoch: number): boolean {
  return count >>> AGE_CALLS_BITS === epoch % EPOCHS
}

/** Calls of that holder of the slot; another's are no calls in flight any more. */
export function callsOf(count: number, epoch: number): number {
  return isCountOf(count, epoch) ? count & MOST_CALLS : 0
}

export const AGE_LAP_BITS = 10
export const AGE_PLACE_BITS = 5
export const AGE_GENERATION_BITS = 16
const LAP_MASK = 2 ** AGE_LAP_BITS - 1
const PLACE_MASK = 2 ** AGE_PLACE_BITS - 1
const GENERATION_MASK = 2 ** AGE_GENERATION_BITS - 1

/** Permits of breakers that tell ages are below, unless they are a trial's. */
const AGED_PERMITS = 2 ** (AGE_LAP_BITS + AGE_PLACE_BITS + AGE_GENERATION_BITS)

function packPermit(generation: number, place: number, lap: number): number {
  const high = ((lap & LAP_MASK) << AGE_PLACE_BITS) | place
  return (high << AGE_GENERATION_BITS) | (generation & GENERATION_MASK)
}

/** The permit of a call that was counted in the bucket with that stamp. */
export function packAgedPermit(generation: number, stamp: number): number {
  return packPermit(generation, agePlaceOf(stamp), (stamp / AGE_BUCKETS) | 0)
}

/** The permit of a call that no bucket tells of. */
export function packAgelessPermit(generation: number): number {
  return packPermit(generation, PLACE_MASK, 0)
}

/** Whether it is one of these, and of that generation. Anything may have been given as a permit. */
export function isAgedPermitOf(permit: number, generation: number): boolean {
  return isAgedPermit(permit) && ((permit ^ generation) & GENERATION_MASK) === 0
}

export function isAgedPermit(permit: number): boolean {
  return Number.isInteger(permit) && permit >= 0 && permit < AGED_PERMITS
}

/** Its place in the ring; AGE_BUCKETS or more where no bucket tells of the call. */
export function placeOfPermit(permit: number): number {
  return (permit >>> AGE_GENERATION_BITS) & PLACE_MASK
}

/** Whether the call was counted in a bucket with that stamp, at the permit's place. */
export function isStampOfPermit(permit: number, stamp: number): boolean {
  const lap = permit >>> (AGE_GENERATION_BITS + AGE_PLACE_BITS)
  return stamp >= 0 && ((stamp / AGE_BUCKETS) & LAP_MASK) === lap
}
