/** Controls as the protocol sees them, and their directory. */
import type { Memory } from '../memory/atomics.ts'
import {
  BULKHEAD,
  CONTROL,
  CONTROL_KIND,
  type ControlShape,
  controlShapeOf,
  HOST,
  HOST_OPTION,
  THROTTLE,
} from '../memory/controls.ts'
import type { Region } from '../memory/region.ts'
import type { ThreadId } from '../memory/words/threads.ts'
import { areControlsSound } from '../options/controls.ts'
import type { SharedNumbers } from '../options/shared.ts'
import type { Clock } from '../time/clock.ts'
import type { Sharded } from './cell.ts'
import type { Contents, LogEntry } from './log.ts'
import { MakingLog } from './making.ts'

/** A control as one thread sees it; nothing in it changes. */
export interface Control extends Sharded {
  readonly memory: Memory
  readonly clock: Clock
  readonly shape: ControlShape
  readonly name: string
  readonly numbers: SharedNumbers
  /** Seeds the jitter: the same in every thread, another one for each control. */
  readonly seed: number
  /** The thread's number. */
  readonly thread: number
  /** Its number in the directory of controls. */
  readonly number: number
  readonly createdAt: number
}

export type ControlEntry = LogEntry<ControlShape>

export function controlOf(region: Region, entry: ControlEntry, id: ThreadId): Control {
  const { record, shape, name, numbers, number, createdAt } = entry
  return Object.freeze({
    memory: region.memory,
    clock: region.clock,
    region: region.shape,
    record,
    state: record + CONTROL.STATE,
    shape,
    name,
    numbers,
    seed: (region.seed ^ Math.imul(record, 0x9e3779b1)) | 0,
    thread: id.thread,
    number,
    createdAt,
  })
}

/** Whether it gives permits: then what it admitted and nobody has settled is in flight. */
export function givesPermits({ shape }: Control): boolean {
  return shape.kind === THROTTLE || shape.kind === BULKHEAD
}

/** Names of one kind are apart from those of another, hosts of one group from those of another. */
export function controlKey(name: string, numbers: SharedNumbers): string {
  const kind = numbers[CONTROL_KIND]
  const group = kind === HOST ? numbers[HOST_OPTION.GROUP] : ''
  return `${kind}/${group}/${name}`
}

const CONTROLS: Contents<ControlShape> = {
  what: 'control',
  limit: 'maxControls',
  size: 'places and windows',
  remedy: 'a larger maxControls',
  areaOf: region => region.controls,
  areSound: areControlsSound,
  shapeOf: controlShapeOf,
  keyOf: controlKey,
  // Controls stay for as long as the region does.
  isVacant: () => false,
  fits: () => false,
  firstAfter: () => 0,
  limitsOf: () => ({ longestWaitMs: 0, longestLeaseMs: 0, mostTrials: 0 }),
}

export class ControlDirectory extends MakingLog<ControlShape> {
  constructor(region: Region, id: ThreadId) {
    super(region, id, CONTROLS)
  }

  /** The controls from number `known` on, in the order in which they were made. */
  controlsAfter(known: number): Control[] {
    return this.entriesAfter(known).map(entry => controlOf(this.region, entry, this.id))
  }

  /** The control of that name and those numbers: found, else made. */
  obtain(name: string, bytes: Uint8Array, numbers: SharedNumbers): Control {
    return controlOf(this.region, this.make({ name, bytes, numbers }), this.id)
  }
}
