/** A registry at one moment. */
import { load } from '#atomics'
import { HEADER } from './memory/layout.ts'
import type { Region } from './memory/region.ts'
import { type KeeperState, keeperStateOf } from './memory/words/tick.ts'
import type { BulkheadSnapshot } from './overload/bulkhead.ts'
import type { HostGroupSnapshot } from './overload/hosts.ts'
import type { RetryBudgetSnapshot } from './overload/retry-budget.ts'
import type { ThrottleSnapshot } from './overload/throttle.ts'
import type { BreakerSnapshot } from './protocol/look.ts'
import { liveSlots } from './protocol/slots.ts'
import { type SlotSnapshot, slotSnapshots, threadsWithoutSlot } from './threads/presence.ts'

/** A registry at one moment: every breaker, cheaply. */
export interface RegistrySnapshot {
  /** Milliseconds of the registry's clock. */
  now: number
  /** Threads that hold a slot. */
  threads: number
  maxThreads: number
  maxBreakers: number
  /** Throttles, bulkheads, retry budgets, host groups and hosts that there is room for. */
  maxControls: number
  /** Damaged words met so far by any thread; each made a call go unguarded. */
  damaged: number
  /** Threads that found no slot free since the region was made: they share one, see maxThreads. */
  threadsWithoutSlot: number
  /** The threads that hold a slot. */
  slots: SlotSnapshot[]
  /** Whether a keeper serves the region, and whether it is at work. */
  keeper: KeeperState
  /**
   * In the order in which they were made. The counts of a time window are those of the last
   * periodic sum, `windowAgeMs` ago; `breaker.snapshot()` adds up anew.
   */
  breakers: (BreakerSnapshot & { windowAgeMs: number })[]
  /** Throttles, bulkheads, retry budgets and host groups, each in the order of their making. */
  throttles: ThrottleSnapshot[]
  bulkheads: BulkheadSnapshot[]
  retryBudgets: RetryBudgetSnapshot[]
  hostGroups: HostGroupSnapshot[]
}

/** What a snapshot says of the region itself. */
export type RegionSnapshot = Pick<
  RegistrySnapshot,
  | 'threads'
  | 'maxThreads'
  | 'maxBreakers'
  | 'maxControls'
  | 'damaged'
  | 'threadsWithoutSlot'
  | 'slots'
  | 'keeper'
>

export function snapshotRegion(region: Region): RegionSnapshot {
  const { memory, shape } = region
  return {
    threads: liveSlots(memory, shape),
    maxThreads: shape.maxThreads,
    maxBreakers: shape.maxBreakers,
    maxControls: shape.maxControls,
    damaged: load(memory, HEADER.DAMAGED),
    threadsWithoutSlot: threadsWithoutSlot(region),
    slots: slotSnapshots(region),
    keeper: keeperStateOf(load(memory, HEADER.TICK)),
  }
}
