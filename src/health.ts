/**
 * How a registry is, in the three words of health-check responses. An open breaker is a warning: it
 * says that a dependency is ill, not that this process is. See the README, "Health checks".
 */
import { InvalidOptionError } from './errors.ts'
import type { State } from './memory/words/state.ts'
import { readFields } from './options/read.ts'
import type { BreakerSnapshot } from './protocol/look.ts'
import type { Registry } from './registry.ts'

export type HealthStatus = 'pass' | 'warn' | 'fail'

export interface HealthOptions {
  /**
   * Breakers without which this process cannot do its work: their names, or a function that is
   * asked for each. A named one fails while it refuses: open, forced open, or half-open. Default:
   * none. For readiness checks only: a restart does not mend a dependency.
   */
  readonly failOn?: readonly string[] | ((breaker: BreakerSnapshot) => boolean) | undefined
}

export interface BreakerHealth {
  readonly name: string
  readonly status: HealthStatus
  readonly state: State
  /** Milliseconds that it has been in this state. */
  readonly forMs: number
  /** Milliseconds until a call may be admitted; 0 when one would be now. */
  readonly retryAfterMs: number
  /** Of the window; null below the minimum of calls. */
  readonly failureRate: number | null
}

export interface Health {
  /** The worst of all. */
  readonly status: HealthStatus
  /** Damaged words met so far by any thread: more than none is a warning. */
  readonly damaged: number
  readonly breakers: readonly BreakerHealth[]
}

const STATUS: Readonly<Record<State, HealthStatus>> = {
  closed: 'pass',
  'metrics-only': 'pass',
  open: 'warn',
  'half-open': 'warn',
  'forced-open': 'warn',
  // Calls go unguarded.
  disabled: 'warn',
}

const REFUSING: readonly State[] = ['open', 'forced-open', 'half-open']
const ORDER: readonly HealthStatus[] = ['pass', 'warn', 'fail']

/**
 * The health of the process as its breakers see it, whichever thread asks. A name in `failOn` that
 * no breaker has yet says nothing. Cost: that of `registry.snapshot()`.
 *
 * @throws InvalidOptionError, NoRegistryError when the registry is closed, what `failOn` throws
 */
export function health(registry: Registry, options?: HealthOptions): Health {
  const fails = readFailOn(options)
  const { now, damaged, breakers } = registry.snapshot()
  const found = breakers.map(({ windowAgeMs: _, ...breaker }) => {
    const { name, state, since, retryAfterMs, window } = breaker
    const status = fails(breaker) ? 'fail' : STATUS[state]
    const { failureRate } = window
    return { name, status, state, forMs: Math.max(0, now - since), retryAfterMs, failureRate }
  })
  const all = [damaged > 0 ? 'warn' : 'pass', ...found.map(({ status }) => status)] as const
  return { status: worstOf(all), damaged, breakers: found }
}

function worstOf(all: readonly HealthStatus[]): HealthStatus {
  return ORDER[Math.max(...all.map(status => ORDER.indexOf(status)))] ?? 'pass'
}

function readFailOn(options: unknown): (breaker: BreakerSnapshot) => boolean {
  if (options === undefined) return () => false
  const failOn = readFields('options', options, ['failOn']).get('failOn')
  if (failOn === undefined) return () => false
  if (typeof failOn === 'function') return failOn as (breaker: BreakerSnapshot) => boolean
  const names: readonly unknown[] = Array.isArray(failOn) ? [...failOn] : []
  if (!Array.isArray(failOn) || names.some(name => typeof name !== 'string')) {
    throw new InvalidOptionError('options.failOn', failOn, 'an array of names, or a function')
  }
  return ({ name, state }) => names.includes(name) && REFUSING.includes(state)
}
