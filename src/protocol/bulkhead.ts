/** What a bulkhead's record holds: places of calls in flight, and of calls that wait. */
import { BULKHEAD } from '../memory/controls.ts'
import type { Control } from './control.ts'
import { type PlaceRange, reapPlaces } from './places.ts'
import { announceRelease, queueOf, someoneMayWait } from './waiting.ts'

/** The places of calls in flight. */
export function placesOf({ memory, record, shape }: Control): PlaceRange {
  return { memory, start: record + shape.places, count: shape.placeCount, stride: 1 }
}

/** Frees what dead threads held, where the control is a bulkhead, and says so to who waits. */
export function reapBulkhead(control: Control, dead: ReadonlySet<number>): void {
  if (control.shape.kind !== BULKHEAD) return
  reapPlaces(queueOf(control), dead)
  const freed = reapPlaces(placesOf(control), dead)
  if (freed > 0 && someoneMayWait(control)) announceRelease(control)
}
