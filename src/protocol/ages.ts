/**
 * Calls in flight told by age, sharded like a time window: so that calls which hang count before
 * they end. Each thread counts a call into the bucket of the step in which it began, and takes it
 * out when it is settled. What a ring place still holds when its turn comes again has been in
 * flight for so long that it hangs, and goes into one count of its own, HUNG.
 *
 *   a call:    bucket of its step -> HUNG -> an outcome in the window
 *   a reader:  outcomes, then HUNG, then buckets
 *
 * 1. Only the owner writes, so it sees its own last writes and needs no CAS.
 * 2. A call leaves one of the three before it enters the next, and a reader takes them in the
 *    opposite order. So it may miss a call on its way, but never sees one twice: a sum errs to the
 *    side of closed, and only for as long as the owner is between two of its writes.
 * 3. Which calls hang is a matter of the reader's time alone: those of buckets a certain number of
 *    steps before it. For one such time they only become fewer, and change with no other step. So a
 *    sum holds until the step ends or a call that hangs is settled (window-time.ts).
 * 4. A count carries the epoch of the slot's holder, and a reader asks for the present one's. So
 *    the calls of a dead thread are gone with its slot, whoever has that next, and nobody clears.
 * 5. A bucket, or HUNG, of another generation reads as empty: after a transition nobody walks over
 *    shards. The owner empties the count before it names the new generation.
 */
import { load, readOwn, store } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { AGE, AGE_BUCKETS, AGE_WORDS, HUNG, OPTION } from '../memory/layout.ts'
import {
  agePlaceOf,
  ageStampOf,
  ageStepMs,
  callsOf,
  isCountOf,
  isHanging,
  isStampOfPermit,
  packAgeCount,
  packAgedPermit,
  packAgelessPermit,
  placeOfPermit,
} from '../memory/words/ages.ts'
import { epochOf, isDead, isLive } from '../memory/words/threads.ts'
import { TURNING } from '../memory/words/windows.ts'
import { type Cell, shardOf } from './cell.ts'
import { OVERFLOW_SLOT, slotsInUse, slotWord } from './slots.ts'

/** How long a step is; for ever where calls in flight are not told by age. */
export function stepMsOf({ shape, numbers }: Cell): number {
  if (shape.ages === 0) return Number.POSITIVE_INFINITY
  return ageStepMs(numbers[OPTION.SLOW_DURATION_MS] as number)
}

function hungOf(cell: Cell, slot: number): number {
  return shardOf(cell, slot) + cell.shape.ages
}

function bucketOf(hung: number, place: number): number {
  return hung + (1 + place) * AGE_WORDS
}

/** How many calls of `generation` in flight hang at `now`, over all slots but the overflow slot. */
export function countHanging(cell: Cell, generation: number, now: number): number {
  const { memory, region } = cell
  const step = Math.floor(now / stepMsOf(cell))
  const slots = slotsInUse(memory, region)
  let calls = 0
  for (let slot = 1; slot <= slots; slot++) {
    const holder = slotWord(memory, region, slot)
    if (!isLive(holder) || isDead(holder)) continue
    calls += hangingIn(memory, hungOf(cell, slot), epochOf(holder), generation, step)
  }
  return calls
}

function hangingIn(
  memory: Memory,
  hung: number,
  epoch: number,
  generation: number,
  step: number,
): number {
  // ATOMIC ages.read
  //   observes: what its holder has counted of this generation (pairs with ages.put, ages.enter,
  //             ages.hang): HUNG before the buckets.
  //   loses to: a turn-over: the bucket is dropped; its calls are in HUNG a moment later.
  const isOf = load(memory, hung + HUNG.TURN) === generation
  let calls = isOf ? callsOf(load(memory, hung + HUNG.COUNT), epoch) : 0
  for (let place = 0; place < AGE_BUCKETS; place++) {
    const bucket = bucketOf(hung, place)
    const stamp = load(memory, bucket + AGE.STAMP)
    if (stamp === TURNING || !isHanging(stamp, step)) continue
    if (load(memory, bucket + AGE.TURN) !== generation) continue
    const count = load(memory, bucket + AGE.COUNT)
    if (load(memory, bucket + AGE.STAMP) === stamp) calls += callsOf(count, epoch)
  }
  return calls
}

/** The calls that one thread has in flight. */
export class Ages {
  readonly #cell: Cell
  readonly #memory: Memory
  readonly #stepMs: number
  readonly #slot: number
  readonly #holder: bigint
  readonly #epoch: number
  readonly #hung: number
  /** False for a thread that has no slot, or that has given up its registry. */
  #begins: boolean

  constructor(cell: Cell, slot: number) {
    this.#cell = cell
    this.#memory = cell.memory
    this.#stepMs = stepMsOf(cell)
    this.#slot = slot
    this.#holder = slotWord(cell.memory, cell.region, slot)
    this.#epoch = epochOf(this.#holder)
    this.#hung = hungOf(cell, slot)
    this.#begins = slot !== OVERFLOW_SLOT
  }

  moveToOverflow(): void {
    this.#begins = false
  }

  /** Counts a call of `generation` that begins now, if this thread tells ages; its permit. */
  begin(generation: number): number {
    if (!this.#begins) return packAgelessPermit(generation)
    this.#cell.clock.refresh()
    const stamp = ageStampOf(this.#step())
    const bucket = bucketOf(this.#hung, agePlaceOf(stamp))
    this.#enter(bucket, generation, stamp)
    const count = bucket + AGE.COUNT
    this.#put(count, callsOf(readOwn(this.#memory, count), this.#epoch) + 1)
    return packAgedPermit(generation, stamp)
  }

  /**
   * Takes the permit's call out, which is of `generation`; whether it hung, as of the clock's last
   * refresh.
   */
  end(permit: number, generation: number): boolean {
    const place = placeOfPermit(permit)
    if (!(place < AGE_BUCKETS) || !this.#holdsSlot()) return false
    const bucket = bucketOf(this.#hung, place)
    const stamp = readOwn(this.#memory, bucket + AGE.STAMP)
    const isThere = isStampOfPermit(permit, stamp)
    if (isThere && this.#takeOne(bucket + AGE.TURN, bucket + AGE.COUNT, generation)) {
      return isHanging(stamp, this.#step())
    }
    return this.#takeOne(this.#hung + HUNG.TURN, this.#hung + HUNG.COUNT, generation)
  }

  /** A registry may be closed while another one of this thread keeps the slot. */
  #holdsSlot(): boolean {
    if (this.#begins) return true
    const { memory, region } = this.#cell
    return this.#slot !== OVERFLOW_SLOT && slotWord(memory, region, this.#slot) === this.#holder
  }

  #step(): number {
    return Math.floor(this.#cell.clock.current / this.#stepMs)
  }

  /** Our calls of that generation, of a bucket or of HUNG. */
  #callsIn(turn: number, count: number, generation: number): number {
    if (readOwn(this.#memory, turn) !== generation) return 0
    return callsOf(readOwn(this.#memory, count), this.#epoch)
  }

  #takeOne(turn: number, count: number, generation: number): boolean {
    const calls = this.#callsIn(turn, count, generation)
    if (calls > 0) this.#put(count, calls - 1)
    return calls > 0
  }

  #put(count: number, calls: number): void {
    // ATOMIC ages.put
    //   observes:  our own count: nobody else writes it.
    //   publishes: one call in flight more, before it is made, or one less, before its outcome.
    //   dies here: the calls of a dead thread are nobody's, and read as none once it is marked.
    store(this.#memory, count, packAgeCount(this.#epoch, calls))
  }

  /** Makes the bucket ours, of that generation and step. */
  #enter(bucket: number, generation: number, stamp: number): void {
    const memory = this.#memory
    const isOurs =
      readOwn(memory, bucket + AGE.STAMP) === stamp &&
      readOwn(memory, bucket + AGE.TURN) === generation &&
      isCountOf(readOwn(memory, bucket + AGE.COUNT), this.#epoch)
    if (!isOurs) this.#turnOver(bucket, generation, stamp)
  }

  #turnOver(bucket: number, generation: number, stamp: number): void {
    const memory = this.#memory
    const left = this.#callsIn(bucket + AGE.TURN, bucket + AGE.COUNT, generation)
    // ATOMIC ages.enter
    //   publishes: that the calls which are left leave the bucket, then that they hang; then an
    //              empty bucket of this step and generation.
    //   dies here: the bucket reads as empty; the calls that are on their way were the dead one's.
    //   wraps:     671,088,640 steps, a week of 1 ms: a call left there for half of that reads as
    //              young.
    store(memory, bucket + AGE.STAMP, TURNING)
    if (left > 0) this.#hang(generation, left)
    store(memory, bucket + AGE.COUNT, packAgeCount(this.#epoch, 0))
    store(memory, bucket + AGE.TURN, generation)
    store(memory, bucket + AGE.STAMP, stamp)
  }

  /** Adds calls that have left the ring. */
  #hang(generation: number, left: number): void {
    const memory = this.#memory
    const turn = this.#hung + HUNG.TURN
    const count = this.#hung + HUNG.COUNT
    const before = this.#callsIn(turn, count, generation)
    // ATOMIC ages.hang
    //   publishes: so many calls more that hang, of this generation.
    //   dies here: an empty count, or calls of a dead thread.
    if (readOwn(memory, turn) !== generation) {
      store(memory, count, packAgeCount(this.#epoch, 0))
      store(memory, turn, generation)
    }
    store(memory, count, packAgeCount(this.#epoch, before + left))
  }
}
