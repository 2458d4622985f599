/** Tells a circuit of its breaker's transitions, whichever thread makes them. */
import type { CircuitBreaker } from '../breaker.ts'
import type { State } from '../memory/words/state.ts'
import type { StateChange } from '../news/events.ts'

export type TransitionEvent = 'open' | 'halfOpen' | 'close'

const MAX_TIMER_MS = 2 ** 31 - 1

export function isOpened(state: State): boolean {
  return state === 'open' || state === 'forced-open'
}

/**
 * An open breaker of busbar goes on when it is asked; a circuit of opossum is half-open, and says
 * so, when its time is over. So a timer says it, in each thread. It keeps no process alive, and
 * nothing else depends on it.
 */
export class Transitions {
  readonly #breaker: CircuitBreaker
  readonly #tell: (event: TransitionEvent) => void
  /** Whether the wait that is over, or the trial that it led to, has been told. */
  #isHalfOpenTold = false
  #timer: NodeJS.Timeout | undefined

  constructor(breaker: CircuitBreaker, tell: (event: TransitionEvent) => void) {
    this.#breaker = breaker
    this.#tell = tell
    breaker.on('stateChange', this.#hear)
    // What it is at first is no news.
    if (!isOpened(breaker.state) || breaker.canExecute()) this.#isHalfOpenTold = true
    else this.#awaitHalfOpen()
  }

  end(): void {
    this.#breaker.off('stateChange', this.#hear)
    clearTimeout(this.#timer)
  }

  /** After the call's own event, as opossum has it: that comes a microtask later than the news. */
  readonly #hear = (change: StateChange): void => queueMicrotask(() => this.#announce(change))

  #announce({ from, to }: StateChange): void {
    clearTimeout(this.#timer)
    const wasOpened = isOpened(from) && !this.#isHalfOpenTold
    if (isOpened(to)) {
      this.#isHalfOpenTold = false
      if (!wasOpened) this.#tell('open')
      this.#awaitHalfOpen()
    } else if (to === 'half-open') {
      this.#tellHalfOpen()
    } else {
      this.#isHalfOpenTold = false
      const wasClosed = !isOpened(from) && from !== 'half-open'
      if (to === 'closed' && !wasClosed) this.#tell('close')
    }
  }

  #awaitHalfOpen(): void {
    const waitMs = this.#breaker.retryAfterMs()
    // Infinite: by command only.
    if (!Number.isFinite(waitMs)) return
    const look = (): void => {
      if (!isOpened(this.#breaker.state)) return
      if (this.#breaker.retryAfterMs() > 0) this.#awaitHalfOpen()
      else this.#tellHalfOpen()
    }
    this.#timer = setTimeout(look, Math.min(Math.ceil(waitMs), MAX_TIMER_MS)).unref()
  }

  #tellHalfOpen(): void {
    if (this.#isHalfOpenTold) return
    this.#isHalfOpenTold = true
    this.#tell('halfOpen')
  }
}
