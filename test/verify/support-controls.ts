/** A region with a control of each kind, and a breaker that tells its calls by age. */
import {
  type Bulkhead,
  type CircuitBreaker,
  createRegistry,
  type HostGroup,
  type Registry,
  type RetryBudget,
  type Throttle,
} from '../../src/index.ts'
import { type Memory, viewsOf } from '../../src/memory/atomics.ts'
import { attachRegion, type Region } from '../../src/memory/region.ts'
import type { Cell } from '../../src/protocol/cell.ts'
import { type Control, ControlDirectory } from '../../src/protocol/control.ts'
import { Directory } from '../../src/protocol/directory.ts'

export interface MadeControls {
  readonly registry: Registry
  readonly region: Region
  readonly memory: Memory
  readonly throttle: Throttle
  readonly bulkhead: Bulkhead
  readonly budget: RetryBudget
  readonly hosts: HostGroup
  readonly breaker: CircuitBreaker
  /** By name: hosts as well, once they have been recorded. */
  control(name: string): Control
  readonly cell: Cell
}

export const HOSTS = ['a', 'b', 'c', 'd'] as const
const NOBODY = { thread: 0, parent: 0 }

/** At 5 s of a manual clock, slot 1 of 3 taken. */
export function makeControls(maxThreads = 3): MadeControls {
  const registry = createRegistry({ clock: 'manual', maxThreads, maxBreakers: 2, maxControls: 12 })
  registry.advance(5000)
  const throttle = registry.throttle('t', { windowMs: 1000, maxRejectionProbability: 0.5 })
  const bulkhead = registry.bulkhead('k', { maxConcurrentCalls: 40, maxQueuedCalls: 3 })
  const budget = registry.retryBudget('r')
  const hosts = registry.hosts('g', { consecutiveFailures: 3, intervalMs: 1000 })
  const breaker = registry.breaker('aged', {
    slowCallDurationThresholdMs: 160,
    countHangingCalls: true,
  })
  const region = attachRegion(registry.handle)
  const [cell] = new Directory(region, NOBODY).cells()
  if (cell === undefined) throw new Error('a breaker was made')
  const control = (name: string): Control => {
    const all = new ControlDirectory(region, NOBODY).controlsAfter(0)
    const found = all.find(one => one.name === name)
    if (found === undefined) throw new Error(`no control ${name}`)
    return found
  }
  const faces = { throttle, bulkhead, budget, hosts, breaker }
  return { registry, region, memory: viewsOf(registry.handle.buffer), ...faces, control, cell }
}

/** Some of everything that controls count, at several times; one host ejected. Leaves no call. */
export function useControls({
  registry,
  throttle,
  bulkhead,
  budget,
  hosts,
  breaker,
}: MadeControls) {
  for (let turn = 0; turn < 24; turn++) {
    const asked = throttle.tryAcquire()
    if (turn % 3 === 0) throttle.recordAccepted(asked)
    else throttle.recordRejected(asked)
    // In the first turn surely not refused.
    if (turn % 12 === 0) throttle.release(throttle.tryAcquire())
    bulkhead.release(bulkhead.tryAcquire())
    budget.recordCall()
    if (turn % 6 === 0) budget.tryRetry()
    hosts.record(HOSTS[turn % 4] ?? 'a', 'success')
    breaker.recordSuccess(breaker.tryAcquire(), 1)
    registry.advance(20)
  }
  for (let failure = 0; failure < 3; failure++) hosts.record('a', 'failure')
}
