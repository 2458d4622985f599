/** What is known of the process that is looked at: snapshots and frames in, breakers out. */
import type { SourceTransition } from '../dashboard/source.ts'
import type { Frame, Introduction, RegistryView, Row, Snapshot } from '../dashboard/wire.ts'
import { compare, type Standing, standingOf } from './order.ts'

/** A breaker's fields, by the names that the snapshot gives them. */
export interface Seen {
  readonly introduction: Introduction
  readonly name: string
  state: string
  since: number
  until: number | null
  calls: number
  failures: number
  failureRate: number | null
  slowCallRate: number | null
  openedBy: readonly number[] | null
  trials: readonly number[] | null
  callsPerSecond: number
  refusedPerSecond: number
  p50Ms: number | null
  p99Ms: number | null
  inFlight: number
  standing: Standing
}

export class Board {
  #breakers = new Map<number, Seen>()
  #latest = new Map<string, SourceTransition>()
  #fields: readonly string[] = []
  now = 0
  registry: RegistryView | undefined

  takeSnapshot(snapshot: Snapshot): void {
    this.#breakers = new Map()
    this.#latest = new Map()
    this.#fields = snapshot.fields
    this.takeFrame(snapshot)
  }

  takeFrame(frame: Frame): void {
    const { now, registry, added = [], gone = [], rows, transitions = [] } = frame
    this.now = now
    if (registry !== undefined) this.registry = registry
    for (const introduction of added) this.#breakers.set(introduction.id, unknown(introduction))
    for (const id of gone) this.#breakers.delete(id)
    for (const row of rows) this.#takeRow(row)
    for (const transition of transitions) this.#latest.set(transition.breaker, transition)
    for (const breaker of this.#breakers.values()) {
      breaker.standing = standingOf(breaker, now, breaker.standing)
    }
  }

  #takeRow(row: Row): void {
    const breaker = this.#breakers.get(Number(row[0]))
    if (breaker === undefined) return
    for (const [at, field] of this.#fields.entries()) {
      if (field in breaker) Reflect.set(breaker, field, row[at])
    }
  }

  /** Trouble first. */
  sorted(): Seen[] {
    return [...this.#breakers.values()].sort(compare)
  }

  latestOf({ name }: Seen): SourceTransition | undefined {
    return this.#latest.get(name)
  }
}

function unknown(introduction: Introduction): Seen {
  return {
    introduction,
    name: introduction.name,
    state: '?',
    since: 0,
    until: 0,
    calls: 0,
    failures: 0,
    failureRate: null,
    slowCallRate: null,
    openedBy: null,
    trials: null,
    callsPerSecond: 0,
    refusedPerSecond: 0,
    p50Ms: null,
    p99Ms: null,
    inFlight: 0,
    standing: { rank: Number.POSITIVE_INFINITY, until: 0 },
  }
}
