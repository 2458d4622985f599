/**
 * Looks at the registry once an interval, for all clients together, while there are any. Cost: that
 * of `registry.snapshot()`, and a few microseconds for each breaker that was called.
 */
import { Columns } from './columns.ts'
import type { Source, SourceSnapshot } from './source.ts'
import { Tracked } from './tracked.ts'
import { Transitions } from './transitions.ts'
import {
  eventText,
  type Frame,
  type RegistryView,
  ROW_FIELDS,
  type Snapshot,
  WIRE_VERSION,
} from './wire.ts'

export class Sampler {
  readonly #source: Source
  readonly #intervalMs: number
  readonly #columns: Columns
  readonly #transitions: Transitions
  readonly #tracked = new Map<string, Tracked>()
  #lastId = 0
  #now = 0
  #column = 0
  #registry: RegistryView | undefined
  #registryText = ''
  #snapshotText: string | undefined

  constructor(source: Source, intervalMs: number) {
    this.#source = source
    this.#intervalMs = intervalMs
    this.#columns = new Columns(intervalMs)
    this.#transitions = new Transitions(source)
  }

  /** The first look, or the first after a pause. Throws what the registry throws. */
  start(): void {
    const snapshot = this.#source.snapshot()
    this.#snapshotText = undefined
    this.#now = snapshot.now
    this.#column = this.#columns.columnAt(snapshot.now)
    this.#takeOver(snapshot, undefined)
    for (const breaker of snapshot.breakers) {
      this.#tracked.get(breaker.name)?.startAgain(breaker, snapshot.now)
    }
    this.#transitions.news(snapshot.breakers)
  }

  /** Whether any breaker has gone to another state since the last look. Cost: a load each. */
  hasNews(): boolean {
    for (const tracked of this.#tracked.values()) if (tracked.hasMoved()) return true
    return false
  }

  /** Looks again and says what is new. Throws what the registry throws. */
  nextFrame(): string {
    const snapshot = this.#source.snapshot()
    this.#snapshotText = undefined
    const before = this.#now
    const elapsedMs = snapshot.now - before
    this.#now = snapshot.now
    this.#column = this.#columns.columnAt(snapshot.now)
    const changes = this.#takeOver(snapshot, before)
    const rows = snapshot.breakers.flatMap(breaker => {
      const tracked = this.#tracked.get(breaker.name)
      if (tracked === undefined) return []
      const isNews = tracked.update(breaker, snapshot.now)
      this.#columns.add(tracked.introduction.id, this.#column, tracked.recent, elapsedMs)
      return isNews ? [tracked.row] : []
    })
    const transitions = this.#transitions.news(snapshot.breakers)
    const frame: Frame = {
      now: Math.round(snapshot.now),
      elapsedMs: Math.round(elapsedMs),
      column: this.#column,
      ...changes,
      rows,
      ...(transitions.length > 0 ? { transitions } : {}),
    }
    return eventText('frame', frame)
  }

  /** Everything as of the last look. */
  snapshot(): string {
    this.#snapshotText ??= eventText('snapshot', this.#snapshot())
    return this.#snapshotText
  }

  #snapshot(): Snapshot {
    const all = [...this.#tracked.values()]
    return {
      version: WIRE_VERSION,
      intervalMs: this.#intervalMs,
      columnMs: this.#columns.columnMs,
      columns: this.#columns.count,
      fields: ROW_FIELDS,
      now: Math.round(this.#now),
      elapsedMs: 0,
      column: this.#column,
      registry: this.#registry ?? EMPTY,
      added: all.map(({ introduction }) => introduction),
      rows: all.map(({ row }) => row),
      transitions: this.#transitions.shown(),
      past: this.#columns.all(this.#column),
    }
  }

  /** Breakers that came and went, and the registry's own numbers where they have changed. */
  #takeOver(
    snapshot: SourceSnapshot,
    before: number | undefined,
  ): Pick<Frame, 'added' | 'gone' | 'registry'> {
    const names = new Set(snapshot.breakers.map(({ name }) => name))
    const gone = [...this.#tracked].flatMap(
      ([
        name,
        {
          introduction: { id },
        },
      ]) => {
        if (names.has(name)) return []
        this.#tracked.delete(name)
        this.#columns.remove(id)
        return [id]
      },
    )
    const added = snapshot.breakers.flatMap(breaker => {
      if (this.#tracked.has(breaker.name)) return []
      const handle = this.#source.get(breaker.name)
      if (handle === undefined) return []
      const tracked = new Tracked(++this.#lastId, handle, breaker, snapshot.now, before)
      this.#tracked.set(breaker.name, tracked)
      return [tracked.introduction]
    })
    return {
      ...(added.length > 0 ? { added } : {}),
      ...(gone.length > 0 ? { gone } : {}),
      ...this.#registryNews(snapshot),
    }
  }

  #registryNews(snapshot: SourceSnapshot): { registry?: RegistryView } {
    const registry = viewOf(snapshot)
    const text = JSON.stringify(registry)
    if (text === this.#registryText) return {}
    this.#registryText = text
    this.#registry = registry
    return { registry }
  }
}

const EMPTY: RegistryView = {
  threads: 0,
  maxThreads: 0,
  threadsWithoutSlot: 0,
  maxBreakers: 0,
  damaged: 0,
  keeper: 'none',
  slots: [],
}

function viewOf(snapshot: SourceSnapshot): RegistryView {
  const { threads, maxThreads, threadsWithoutSlot, maxBreakers, damaged, keeper } = snapshot
  const slots = snapshot.slots.map(({ slot, thread, state }) => ({ slot, thread, state }))
  return { threads, maxThreads, threadsWithoutSlot, maxBreakers, damaged, keeper, slots }
}
