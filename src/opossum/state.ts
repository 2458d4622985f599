/** The state that a circuit can be restored from, in another process too. */
import type { CircuitBreaker } from '../breaker.ts'
import { InvalidOptionError } from '../errors.ts'
import { booleanOf, readFields } from '../options/read.ts'
import type { Settings } from './options.ts'
import type { State } from './types.ts'
import { wallNow } from './wall-clock.ts'

const FLAGS = ['enabled', 'closed', 'open', 'halfOpen', 'warmUp', 'shutdown'] as const

/** So short that it is over at once: what waited is ready for its trial. */
const NO_WAIT_MS = Number.MIN_VALUE

export function readState(state: unknown): State {
  if (state === undefined) return {}
  const fields = readFields('options.state', state, ['name', 'lastTimerAt', ...FLAGS])
  const lastTimerAt = fields.get('lastTimerAt')
  if (lastTimerAt !== undefined && !(typeof lastTimerAt === 'number' && lastTimerAt >= 0)) {
    const limit = 'a time as Date.now() gives it'
    throw new InvalidOptionError('options.state.lastTimerAt', lastTimerAt, limit)
  }
  const flags = FLAGS.map(flag => [flag, booleanOf('options.state', fields, flag)] as const)
  return { ...Object.fromEntries(flags), lastTimerAt }
}

/** The breaker that circuits of that name share; made, and brought into its state, by the first. */
export function makeBreaker(name: string, settings: Settings): CircuitBreaker {
  const { registry, shared, state, enabled, resetTimeoutMs } = settings
  const isNew = registry.get(name) === undefined
  const breaker = registry.breaker(name, shared)
  // One that was shut down was that circuit's end, not the breaker's.
  if (isNew && state.shutdown !== true) {
    restore(breaker, state, resetTimeoutMs)
    if (!enabled) breaker.disable()
  }
  return breaker
}

function restore(breaker: CircuitBreaker, state: State, resetTimeoutMs: number): void {
  const waitMs = waitOf(state, resetTimeoutMs)
  if (waitMs === undefined) return
  if (waitMs === resetTimeoutMs) breaker.open()
  else keepOpen(breaker, waitMs)
}

/** Opens it for a time of its own. */
export function keepOpen(breaker: CircuitBreaker, waitMs: number): void {
  breaker.forceOpen({ ttlMs: Math.max(waitMs, NO_WAIT_MS) })
}

/** What is left of an open state; undefined: it is not open. */
function waitOf(state: State, resetTimeoutMs: number): number | undefined {
  const { open, closed, halfOpen, lastTimerAt } = state
  if (halfOpen === true) return 0
  if (!(open ?? closed === false)) return undefined
  if (lastTimerAt === undefined) return resetTimeoutMs
  const passedMs = Math.max(0, wallNow() - lastTimerAt)
  return Math.max(0, resetTimeoutMs - passedMs)
}

/** When an open state that ends in `waitMs` began, as another process can read it. */
export function openedAt(waitMs: number, resetTimeoutMs: number): number {
  return Math.round(wallNow() - Math.max(0, resetTimeoutMs - waitMs))
}
