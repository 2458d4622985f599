/** Small regions for scenarios: two or three slots, one breaker, time that stands still. */
import type { Memory } from '../../src/memory/atomics.ts'
import { HEADER, RECORD, SHARD_BUCKETS } from '../../src/memory/layout.ts'
import { createRegion, type Region } from '../../src/memory/region.ts'
import {
  GENERATION_BITS,
  generationOf,
  HALF_OPEN,
  isNextOf,
  nextGeneration,
  nextStateOf,
  STATE_NAMES,
  stateOf,
} from '../../src/memory/words/state.ts'
import type { ThreadId } from '../../src/memory/words/threads.ts'
import { encodeName } from '../../src/options/breaker.ts'
import { readFields } from '../../src/options/read.ts'
import { readRegistryOptions } from '../../src/options/registry.ts'
import { applyShared, readShared, SHARED_KEYS } from '../../src/options/shared.ts'
import type { SharedOptions } from '../../src/options/types.ts'
import { Core } from '../../src/protocol/breaker.ts'
import { type Cell, shardOf } from '../../src/protocol/cell.ts'
import { cellOf, Directory } from '../../src/protocol/directory.ts'
import { raiseEdition } from '../../src/protocol/follower.ts'
import { claimSlot } from '../../src/protocol/slots.ts'
import type { ManualClock } from '../../src/time/manual.ts'
import { machine } from './machine.ts'
import { isTrialOf } from './permits.ts'
import { check } from './scenario.ts'

export interface World {
  readonly region: Region
  readonly memory: Memory
  readonly cell: Cell
  readonly clock: ManualClock
}

/** A region whose threads 1..`slots` have their slots already, with one breaker. */
export function world(options: SharedOptions, slots = 2, maxThreads = slots): World {
  const threads = Array.from({ length: slots }, (_, index) => ({ thread: index + 1, parent: 0 }))
  return worldOf(options, threads, maxThreads)
}

/** The same with threads that have parents; they have the slots from 1 on in their order. */
export function worldOf(
  options: SharedOptions,
  threads: readonly ThreadId[],
  maxThreads = threads.length,
): World {
  const region = emptyRegion(maxThreads)
  for (const id of threads) claimSlot(region.memory, region.shape, id)
  const directory = new Directory(region, { thread: 0, parent: 0 })
  const entry = directory.make({
    name: 'b',
    bytes: encodeName('b'),
    numbers: numbersOf(region, options),
  })
  const clock = region.clock as ManualClock
  const cell = cellOf(region, entry, { thread: 0, parent: 0 })
  // Somebody has met its options before: what comes after is about something else.
  raiseEdition(cell)
  return { region, memory: region.memory, cell, clock }
}

/** The same with a shorter ring: a sum that finds few outcomes reads all of it. */
export function withRing(made: World, ringCapacity: number): World {
  const { cell } = made
  return { ...made, cell: { ...cell, shape: { ...cell.shape, ringCapacity } } }
}

export function emptyRegion(maxThreads: number, maxBreakers = 2): Region {
  return createRegion(
    readRegistryOptions({
      maxBreakers,
      maxControls: 4,
      maxThreads,
      clock: 'manual',
      defaults: { slidingWindow: { type: 'time', durationMs: 1000, buckets: 2 } },
    }),
  )
}

export function numbersOf(region: Region, options: SharedOptions): readonly number[] {
  const fields = readFields('options', options, SHARED_KEYS)
  return applyShared(region.defaults, readShared('options', fields))
}

export function openNow({ cell }: World, failures: number): void {
  const core = new Core(cell, 1)
  for (let failure = 0; failure < failures; failure++) core.recordFailure(core.tryAcquire())
}

export function seenOf(cell: Cell): { generation: number; state: string } {
  const word = cell.memory[cell.state] as number
  return { generation: generationOf(word), state: STATE_NAMES[stateOf(word)] ?? 'damaged' }
}

/** S1 and S4 of docs/protocol.md, at every step. */
export function checkState(cell: Cell): void {
  check(cell.memory[HEADER.DAMAGED] === 0, 'sound memory was taken for damaged')
  const word = cell.memory[cell.state] as number
  const generation = generationOf(word)
  const next = (parity: number): bigint =>
    cell.memory.longs[cell.recordLong + RECORD.NEXT_LONG + parity] as bigint
  const current = next(generation & 1)
  check(isNextOf(current, generation), `NEXT of generation ${generation} has another tag`)
  check(nextStateOf(current) === stateOf(word), 'STATE is not what was decided')
  const other = next(1 - (generation & 1))
  const isOld = other === 0n || isNextOf(other, (generation - 1) & (2 ** GENERATION_BITS - 1))
  check(isOld || isNextOf(other, nextGeneration(generation)), 'NEXT is of neither neighbour')
}

/** The same, and P2: the living threads that hold a trial of this generation, by their notes. */
export function checkTrials(cell: Cell): void {
  checkState(cell)
  const word = cell.memory[cell.state] as number
  if (stateOf(word) !== HALF_OPEN) return
  const holders = machine.threads.filter(
    ({ alive, note }) => alive && typeof note === 'number' && isTrialOf(note, generationOf(word)),
  )
  check(holders.length <= cell.trials, `${holders.length} trials in flight`)
}

/** The words of the shards of slots 1 and up that only their owner may write. */
export function ownedShardWords(cell: Cell): (word: number) => boolean {
  const start = shardOf(cell, 1)
  const end = start + cell.region.maxThreads * cell.shape.shardWords
  return word => {
    if (word < start || word >= end) return false
    const offset = (word - start) % cell.shape.shardWords
    return offset < 14 || offset >= SHARD_BUCKETS
  }
}
