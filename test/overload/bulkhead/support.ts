/** Bulkheads in regions whose time the tests move. */
import { BULKHEAD } from '../../../src/memory/controls.ts'
import { createRegion, type Region } from '../../../src/memory/region.ts'
import { encodeName } from '../../../src/options/breaker.ts'
import { controlNumbers, readControlFields } from '../../../src/options/controls.ts'
import { readRegistryOptions } from '../../../src/options/registry.ts'
import type { BulkheadOptions } from '../../../src/overload/types.ts'
import { type Control, ControlDirectory, controlOf } from '../../../src/protocol/control.ts'
import type { ManualClock } from '../../../src/time/manual.ts'

export const REGISTRY = { clock: 'manual', maxBreakers: 1, maxThreads: 4, maxControls: 4 } as const

export interface BulkheadWorld {
  readonly region: Region
  readonly clock: ManualClock
  /** The bulkhead as thread `thread` sees it. */
  controlOf(thread: number): Control
}

export function bulkheadWorld(options: BulkheadOptions): BulkheadWorld {
  const region = createRegion(readRegistryOptions({ ...REGISTRY }))
  const numbers = controlNumbers(BULKHEAD, 'options', readControlFields(BULKHEAD, 'o', options))
  const directory = new ControlDirectory(region, { thread: 0, parent: 0 })
  const entry = directory.make({ name: 'b', bytes: encodeName('b'), numbers })
  return {
    region,
    clock: region.clock as ManualClock,
    controlOf: thread => controlOf(region, entry, { thread, parent: 0 }),
  }
}

/** What a promise has come to by now. */
export interface Fate {
  value?: unknown
  error?: unknown
}

export function fateOf(promise: Promise<unknown>): Fate {
  const fate: Fate = {}
  promise.then(
    value => {
      fate.value = value
    },
    error => {
      fate.error = error
    },
  )
  return fate
}

/** Lets everything run that waits for nothing but its turn. */
export async function microtasks(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await undefined
}
