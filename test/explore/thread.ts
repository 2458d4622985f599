/** A simulated thread, an operation that it asks for, and what a step changed. */

export interface Operation {
  readonly verb: string
  /** In words, or in longs where `wide`. */
  readonly index: number
  readonly wide: boolean
  readonly kind: 'read' | 'write' | 'pause'
  /** Whether the scheduler may switch threads before it. */
  readonly switches: boolean
  /** Where it was asked for; noted for replays only. */
  stack?: string
}

export type Value = number | bigint

export interface SimThread {
  readonly index: number
  readonly name: string
  readonly body: () => unknown
  /** The thread whose death it waits for. */
  waitsFor: SimThread | undefined
  log: Value[]
  cursor: number
  granted: boolean
  stopped: boolean
  pending: Operation | undefined
  alive: boolean
  done: boolean
  result: unknown
  /** What the body last said about itself: see `note`. */
  note: unknown
  /** Whether the body has passed `ready`. */
  ready: boolean
  hashLow: number
  hashHigh: number
}

/** What a step changed: enough to take it back. */
export interface Undo {
  readonly thread: SimThread
  readonly logLength: number
  readonly pending: Operation | undefined
  readonly done: boolean
  readonly result: unknown
  readonly note: unknown
  readonly hashLow: number
  readonly hashHigh: number
  readonly memoryLow: number
  readonly memoryHigh: number
  readonly writes: { word: number; value: number }[]
  readonly owners: number[]
}

export function startThread(name: string, index: number, body: () => unknown): SimThread {
  return {
    index,
    name,
    body,
    waitsFor: undefined,
    log: [],
    cursor: 0,
    granted: false,
    stopped: false,
    pending: undefined,
    alive: true,
    done: false,
    result: undefined,
    note: undefined,
    ready: false,
    hashLow: index,
    hashHigh: index,
  }
}
