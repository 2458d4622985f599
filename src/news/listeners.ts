/** The listeners that came through one registry; they end with it. */

import type { Bulletin } from './bulletin.ts'
import { type NewsEvent, type NewsListener, requireListener } from './events.ts'

export class Listeners {
  readonly #bulletin: Bulletin
  /** Throws when the registry is closed. */
  readonly #requireOpen: () => void

  constructor(bulletin: Bulletin, requireOpen: () => void) {
    this.#bulletin = bulletin
    this.#requireOpen = requireOpen
  }

  /** `breaker`: its name; all when undefined. */
  on<E extends NewsEvent>(event: E, listener: NewsListener<E>, breaker?: string): void {
    this.#requireOpen()
    requireListener(event, listener)
    this.#bulletin.subscribe(event, listener, breaker, this)
  }

  off(event: NewsEvent, listener: unknown, breaker?: string): void {
    requireListener(event, listener)
    this.#bulletin.unsubscribe(event, listener, breaker, this)
  }

  close(): void {
    this.#bulletin.unsubscribeAll(this)
  }
}
