import type { Snapshot, Trial } from './reference-types.ts'

/** 2.6: a place is free or holds a trial, which keeps it until released or a new generation. */
export type Place = Trial | undefined

/** A lease is over when `now >=` its end. */
export function outlived(places: Place[], now: number): Trial[] {
  const held = places.filter(place => place !== undefined)
  return held.filter(({ outcome, leaseEnd }) => outcome === 'pending' && now >= leaseEnd)
}

/** With a rate threshold an outlived trial counts as failed and keeps its place. */
export function everyPlaceHoldsAnOutcome(places: Place[], now: number): boolean {
  const { permitted, succeeded, failed } = trialsOf(places, now)
  return succeeded + failed === permitted
}

export function trialsOf(places: Place[], now: number): NonNullable<Snapshot['trials']> {
  const over = outlived(places, now).length
  const having = (outcome: Trial['outcome']) =>
    places.filter(place => place?.outcome === outcome).length
  return {
    permitted: places.length,
    inFlight: having('pending') - over,
    succeeded: having('succeeded'),
    failed: having('failed') + over,
  }
}
