/** Small regions for scenarios about controls: threads with slots, one control, manual time. */
import type { Memory } from '../../src/memory/atomics.ts'
import { HEADER } from '../../src/memory/layout.ts'
import type { Region } from '../../src/memory/region.ts'
import { encodeName } from '../../src/options/breaker.ts'
import { controlNumbers, readControlFields } from '../../src/options/controls.ts'
import { type Control, ControlDirectory, controlOf } from '../../src/protocol/control.ts'
import { claimSlot } from '../../src/protocol/slots.ts'
import type { ManualClock } from '../../src/time/manual.ts'
import { emptyRegion } from './build.ts'
import { check } from './scenario.ts'

export interface ControlWorld {
  readonly region: Region
  readonly memory: Memory
  readonly clock: ManualClock
  readonly directory: ControlDirectory
  /** The control as thread `thread` sees it. */
  controlOf(thread: number): Control
}

/** A region whose threads 1..`slots` have slots 1..`slots`, with one control named `c`. */
export function controlWorld(kind: number, options: object, slots = 2): ControlWorld {
  const region = emptyRegion(slots)
  for (let thread = 1; thread <= slots; thread++) {
    claimSlot(region.memory, region.shape, { thread, parent: 0 })
  }
  const fields = readControlFields(kind, 'options', options)
  const numbers = controlNumbers(kind, 'options', fields)
  const directory = new ControlDirectory(region, { thread: 0, parent: 0 })
  const entry = directory.make({ name: 'c', bytes: encodeName('c'), numbers })
  return {
    region,
    memory: region.memory,
    clock: region.clock as ManualClock,
    directory,
    controlOf: thread => controlOf(region, entry, { thread, parent: 0 }),
  }
}

/** At every step: nothing that sound code wrote was taken for damage. */
export function checkSound({ memory }: ControlWorld): void {
  check(memory[HEADER.DAMAGED] === 0, 'sound memory was taken for damaged')
}
