/** What listeners are told. */
import { InvalidOptionError } from '../errors.ts'
import type { Transition } from '../protocol/history.ts'

/** A transition, as it is announced to a thread's listeners. */
export interface StateChange extends Transition {
  /**
   * `'self'` in exactly one of the threads that listen to the breaker: the one that made the
   * transition, or, where it does not listen, the first to hear of it. For alerts that must fire
   * once.
   */
  origin: 'self' | 'other'
}

/** Transitions that this thread came too late for: more than 1,024 since it last looked. */
export interface Gap {
  /** How many, of all breakers. */
  missed: number
}

interface NewsEvents {
  stateChange: StateChange
  gap: Gap
}

export type NewsEvent = keyof NewsEvents
export type NewsListener<E extends NewsEvent> = (news: NewsEvents[E]) => void

const EVENTS: readonly unknown[] = ['stateChange', 'gap'] satisfies NewsEvent[]

/** @throws InvalidOptionError */
export function requireListener(event: unknown, listener: unknown): void {
  if (!EVENTS.includes(event)) {
    throw new InvalidOptionError('event', event, "'stateChange' or 'gap'")
  }
  if (typeof listener !== 'function') {
    throw new InvalidOptionError('listener', listener, 'a function')
  }
}
