/** What is known of the registry: snapshots and frames in, breakers out. Knows no document. */
import { placeByName, standingOf } from './order.js'
import { uptimeMs } from './time.js'

/** Transitions kept for the timeline. */
const KEPT = 400
/** succeeded, failed, refused, ms: of one column. */
const VALUES = 4

/** The last two minutes of one breaker, in columns that are numbered with time. */
class Past {
  constructor(count) {
    this.count = count
    this.values = new Float64Array(count * VALUES)
    this.newest = -1
  }

  add(column, recent, ms) {
    for (let each = Math.max(this.newest + 1, column - this.count + 1); each <= column; each++) {
      this.values.fill(0, (each % this.count) * VALUES, (each % this.count) * VALUES + VALUES)
    }
    this.newest = Math.max(this.newest, column)
    const at = (column % this.count) * VALUES
    for (let kind = 0; kind < 3; kind++) this.values[at + kind] += recent[kind]
    this.values[at + 3] += ms
  }

  /** The columns up to `column`, oldest first: calls a second, or undefined: nobody looked. */
  read(column) {
    return Array.from({ length: this.count }, (_, index) => {
      const each = column - this.count + 1 + index
      const at = (((each % this.count) + this.count) % this.count) * VALUES
      const ms = this.values[at + 3]
      if (each < 0 || each > this.newest || ms === 0) return undefined
      return [0, 1, 2].map(kind => (this.values[at + kind] * 1_000) / ms)
    })
  }
}

const NO_CALLS = [0, 0, 0]

export class Model {
  constructor() {
    this.breakers = new Map()
    this.registry = undefined
    this.transitions = []
    /** By breaker: its last transition, for the reason of its state. */
    this.latest = new Map()
    this.column = 0
    this.intervalMs = 1_000
    this.fields = []
    this.offset = 0
  }

  /** The registry's clock. */
  now() {
    return uptimeMs() + this.offset
  }

  /** A snapshot replaces everything. */
  takeSnapshot(snapshot) {
    const { fields, intervalMs, columns, past } = snapshot
    const before = new Map([...this.breakers.values()].map(breaker => [breaker.name, breaker]))
    Object.assign(this, { fields, intervalMs, columns, transitions: [] })
    this.breakers.clear()
    this.latest.clear()
    this.#take(snapshot)
    for (const { id, from, columns } of past) this.#fill(this.breakers.get(id), from, columns)
    for (const breaker of this.breakers.values()) {
      breaker.standing = standingOf(breaker, snapshot.now, before.get(breaker.name)?.standing)
    }
  }

  #fill(breaker, from, columns) {
    for (let at = 0; at < columns.length; at += VALUES) {
      breaker?.past.add(from + at / VALUES, columns.slice(at, at + 3), columns[at + 3])
    }
  }

  /** A frame says what is new. Returns the transitions in it. */
  takeFrame(frame) {
    const called = this.#take(frame)
    for (const breaker of this.breakers.values()) {
      const recent = called.has(breaker.id) ? breaker.recent : NO_CALLS
      breaker.past.add(frame.column, recent, frame.elapsedMs)
      breaker.standing = standingOf(breaker, frame.now, breaker.standing)
    }
    return frame.transitions ?? []
  }

  #take({ now, column, registry, added = [], gone = [], rows, transitions = [] }) {
    this.offset = now - uptimeMs()
    this.column = column
    if (registry !== undefined) this.registry = registry
    for (const introduction of added) {
      const { id, name } = introduction
      const past = new Past(this.columns)
      this.breakers.set(id, { id, name, introduction, past, standing: undefined })
    }
    for (const id of gone) this.breakers.delete(id)
    if (added.length > 0) placeByName(this.breakers.values())
    for (const row of rows) this.#takeRow(row)
    for (const transition of transitions) this.latest.set(transition.breaker, transition)
    this.transitions = [...this.transitions, ...transitions].slice(-KEPT)
    return new Set(rows.map(([id]) => id))
  }

  #takeRow(row) {
    const breaker = this.breakers.get(row[0])
    if (breaker === undefined) return
    for (const [at, field] of this.fields.entries()) breaker[field] = row[at]
  }
}
