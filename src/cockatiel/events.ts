/** Events as cockatiel has them: a function that takes a listener and returns how to end it. */
import { InvalidOptionError } from '../errors.ts'

export interface Subscription {
  /** May be called more than once. */
  dispose(): void
}

/** @throws InvalidOptionError */
export type Event<T> = (listener: (data: T) => void) => Subscription

export class Emitter<T> {
  #listeners: readonly ((data: T) => void)[] = []

  get hasListeners(): boolean {
    return this.#listeners.length > 0
  }

  /** A listener that is given twice is called twice; each subscription ends for itself. */
  readonly event: Event<T> = listener => {
    requireListener(listener)
    const own = (data: T): void => listener(data)
    this.#listeners = [...this.#listeners, own]
    return {
      dispose: () => {
        this.#listeners = this.#listeners.filter(other => other !== own)
      },
    }
  }

  /** Never throws: a listener that does must not change what came of the call. */
  emit(data: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(data)
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
        process.emitWarning(`busbar: a listener threw: ${text}`)
      }
    }
  }
}

export function requireListener(listener: unknown): void {
  if (typeof listener === 'function') return
  throw new InvalidOptionError('listener', listener, 'a function')
}
