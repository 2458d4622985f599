/** Throttles as several threads would hold them, each in a slot, with seeded decisions. */

import { THROTTLE } from '../../../src/memory/controls.ts'
import type { Region } from '../../../src/memory/region.ts'
import { createRegion } from '../../../src/memory/region.ts'
import { encodeName } from '../../../src/options/breaker.ts'
import { controlNumbers, readControlFields } from '../../../src/options/controls.ts'
import { readRegistryOptions } from '../../../src/options/registry.ts'
import type { ThrottleOptions } from '../../../src/overload/types.ts'
import { ControlDirectory } from '../../../src/protocol/control.ts'
import { claimSlot, useOverflow } from '../../../src/protocol/slots.ts'
import { ThrottleCore } from '../../../src/protocol/throttle.ts'
import type { ManualClock } from '../../../src/time/manual.ts'

export interface Throttles {
  readonly region: Region
  readonly clock: ManualClock
  readonly cores: readonly ThrottleCore[]
}

/** One throttle of as many threads as seeds; if `overflow`, the last has no slot of its own. */
export function makeThrottles(
  options: ThrottleOptions,
  seeds: readonly number[],
  overflow = false,
): Throttles {
  const maxThreads = seeds.length
  const registry = readRegistryOptions({
    clock: 'manual',
    maxBreakers: 1,
    maxControls: 1,
    maxThreads,
  })
  const region = createRegion(registry)
  const numbers = controlNumbers(
    THROTTLE,
    'options',
    readControlFields(THROTTLE, 'options', options),
  )
  const cores = seeds.map((seed, index) => {
    const id = { thread: index + 1, parent: 0 }
    claimSlot(region.memory, region.shape, id)
    const control = new ControlDirectory(region, id).obtain('t', encodeName('t'), numbers)
    const hasNone = overflow && index === seeds.length - 1
    if (hasNone) useOverflow(region.memory)
    return new ThrottleCore(control, hasNone ? 0 : index + 1, seed)
  })
  return { region, clock: region.clock as ManualClock, cores }
}
