/** Random calls on a damaged region, and what comes out of them. */
import vm from 'node:vm'
import {
  type CircuitBreaker,
  REFUSED,
  RegionError,
  type Registry,
  RegistryFullError,
} from '../../src/index.ts'
import type { Random } from '../model/random.ts'
import { type ControlCaller, callControl } from './calls-controls.ts'

export interface Caller {
  readonly random: Random
  readonly registry: Registry
  readonly breakers: readonly CircuitBreaker[]
  readonly permits: number[]
  /** Controls are called as well, where there are any. */
  readonly controls?: ControlCaller
  /** Told of every exception that no call may throw. */
  readonly onThrow: (call: string, error: unknown) => void
}

/** Calls that never throw, whatever stands in the region. */
const CORE = {
  tryAcquire: (breaker: CircuitBreaker, { permits }: Caller) => {
    const permit = breaker.tryAcquire()
    if (permit !== REFUSED) permits.push(permit)
  },
  recordSuccess: (breaker: CircuitBreaker, caller: Caller) =>
    breaker.recordSuccess(permitOf(caller), caller.random.pick([0, 60])),
  recordFailure: (breaker: CircuitBreaker, caller: Caller) =>
    breaker.recordFailure(permitOf(caller), caller.random.pick([0, 60])),
  release: (breaker: CircuitBreaker, caller: Caller) => breaker.release(permitOf(caller)),
  state: (breaker: CircuitBreaker) => breaker.state,
  canExecute: (breaker: CircuitBreaker) => breaker.canExecute(),
  retryAfterMs: (breaker: CircuitBreaker) => breaker.retryAfterMs(),
} as const

/** Calls that may say so with a RegionError; those that make something, that there is no room. */
const OTHERS = {
  snapshot: (breaker: CircuitBreaker) => breaker.snapshot(),
  open: (breaker: CircuitBreaker) => breaker.open({ reason: 'hostile' }),
  forceOpen: (breaker: CircuitBreaker) => breaker.forceOpen({ ttlMs: 50 }),
  disable: (breaker: CircuitBreaker) => breaker.disable(),
  metricsOnly: (breaker: CircuitBreaker) => breaker.metricsOnly(),
  reset: (breaker: CircuitBreaker) => breaker.reset(),
  names: (_: CircuitBreaker, { registry }: Caller) => registry.names(),
  look: (_: CircuitBreaker, { registry }: Caller) => [registry.snapshot(), registry.history()],
  get: (_: CircuitBreaker, { registry }: Caller) => registry.get('time'),
  remove: ({ name }: CircuitBreaker, { registry }: Caller) => registry.remove(name),
  make: ({ name }: CircuitBreaker, { registry }: Caller) => registry.breaker(name).tryAcquire(),
  configure: (breaker: CircuitBreaker, { random }: Caller) =>
    breaker.configure({
      permittedNumberOfCallsInHalfOpenState: random.pick([1, 2, 64]),
      waitDurationInOpenStateMs: random.pick([10, 100]),
      trialTimeoutMs: random.pick([100, 1000]),
    }),
  keyed: (_: CircuitBreaker, { registry, random }: Caller) => {
    const breaker = registry.keyed('key', { max: 2 }).breaker(random.pick(['a', 'b', 'c']))
    breaker.release(breaker.tryAcquire())
  },
} as const

const WEIGHTS = {
  tryAcquire: 30,
  recordSuccess: 8,
  recordFailure: 20,
  release: 3,
  state: 1,
  canExecute: 2,
  retryAfterMs: 2,
  snapshot: 1,
  open: 1,
  forceOpen: 1,
  disable: 0.5,
  metricsOnly: 0.5,
  reset: 1,
  names: 0.5,
  look: 0.5,
  get: 0.5,
  remove: 0.5,
  make: 0.5,
  configure: 1,
  keyed: 1,
}

/** A permit that was given, or now and then one made up. */
function permitOf({ random, permits }: Caller): number {
  const made = [2 ** 53 - 1, 2 ** 52, -1, 0, Number.NaN, 1.5, Number.POSITIVE_INFINITY]
  if (random.chance(0.05)) return random.pick(made)
  return permits.splice(random.between(0, permits.length), 1)[0] ?? 0
}

export function callOnce(caller: Caller): void {
  const { random, breakers, controls, onThrow } = caller
  if (controls !== undefined && random.chance(0.4)) {
    callControl(controls, onThrow)
    return
  }
  const call = random.weighted(WEIGHTS)
  const breaker = random.pick(breakers)
  try {
    if (call in CORE) CORE[call as keyof typeof CORE](breaker, caller)
    else OTHERS[call as keyof typeof OTHERS](breaker, caller)
  } catch (error) {
    const isSaid = error instanceof RegionError || error instanceof RegistryFullError
    if (call in CORE || !isSaid) onThrow(call, error)
  }
}

/**
 * Runs `work` and stops it when it takes longer than `limitMs`, loops without end included: V8 ends
 * what a script with a time limit runs, whoever's code it is.
 */
export function within<T>(limitMs: number, what: () => string, work: () => T): T {
  const key = '__hostileWork'
  Object.assign(globalThis, { [key]: work })
  try {
    return vm.runInThisContext(`${key}()`, { timeout: limitMs }) as T
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new Error(`hangs: ${what()}`)
    throw error
  }
}

/** Gathers exceptions, so that one run shows every kind once. */
export class Faults {
  readonly #found = new Map<string, { times: number; first: string }>()

  add(kind: string, where: string): void {
    const found = this.#found.get(kind)
    if (found === undefined) this.#found.set(kind, { times: 1, first: where })
    else found.times++
  }

  /** One line a kind: how often, and where first. */
  list(): string[] {
    return [...this.#found].map(([kind, { times, first }]) => `${times} x ${kind}; ${first}`)
  }
}

/** What was thrown and from where in src/. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const frame = error.stack?.split('\n').find(line => /\/(src|dist)\//.test(line)) ?? ''
  return `${error.name}: ${error.message} ${frame.trim().replace(/\(.*\/(src|dist)/, '($1')}`
}
