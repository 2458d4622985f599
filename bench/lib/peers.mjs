/**
 * busbar and the two circuit breakers for Node.js that many use, each set up for the same meaning as
 * its documentation says: open at half of at least 20 calls in 10 s of 10 buckets, no listeners.
 * None is told to open: each has seen as many failures as it needs.
 *
 *   opossum    errorThresholdPercentage (opens above it), volumeThreshold, rollingCountTimeout and
 *              rollingCountBuckets, resetTimeout; all else, its statistics too, as it comes
 *   cockatiel  SamplingBreaker: threshold (opens above it), duration in buckets of one second,
 *              minimumRps: 2, which is 20 calls in 10 s
 *
 * @typedef {object} Contestant   one breaker in one state, ready to be called
 * @property {() => Promise<unknown>} call
 * @property {(last: unknown) => boolean} isRight       of what the last call resolved or rejected to
 * @property {(calls: number) => boolean} isAsMeant     the state, and the totals where there are any
 * @property {() => void} close
 */
import { setImmediate } from 'node:timers/promises'
import { CircuitOpenError } from 'busbar'
import {
  BrokenCircuitError,
  CircuitState,
  circuitBreaker,
  fallback,
  handleAll,
  SamplingBreaker,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel'
import Opossum from 'opossum'
import { LONG_WAIT_MS } from './shared-breakers.mjs'

const WINDOW_MS = 10_000
const BUCKETS = 10
const MINIMUM_CALLS = 20
const RATE = 0.5
/** What opossum's timeout is when nobody says otherwise. */
export const TIMEOUT_MS = 10_000
const PERCENT = 100
const MS_PER_SECOND = 1_000

const ANSWER = 42
const INSTEAD = 43
const answering = async () => ANSWER
const failing = async () => {
  throw new Error('the dependency is down')
}
const isAnswer = last => last === ANSWER
const isInstead = last => last === INSTEAD

/** Calls of a closed breaker until it must be open. */
async function breakIt(call) {
  for (let i = 0; i < MINIMUM_CALLS; i++) await call().catch(() => {})
}

/** Floors: the same promises with no breaker. */
export const floors = {
  'await fn()': () => bare(answering, isAnswer),
  'await one rejected promise'() {
    const error = new Error('rejected')
    const rejected = Promise.reject(error)
    rejected.catch(() => {})
    return bare(
      () => rejected,
      last => last === error,
    )
  },
  'await fn() that throws a new error': () => bare(failing, last => last instanceof Error),
}

function bare(call, isRight) {
  return { call, isRight, isAsMeant: () => true, close() {} }
}

/**
 * @param {import('busbar').Registry} registry
 * @param {string} name   of the breaker: a new one each time
 */
export function busbar(registry, name) {
  const make = options =>
    registry.breaker(name, {
      slidingWindow: { type: 'time', durationMs: WINDOW_MS, buckets: BUCKETS },
      failureRateThreshold: RATE,
      minimumNumberOfCalls: MINIMUM_CALLS,
      waitDurationInOpenStateMs: LONG_WAIT_MS,
      ...options,
    })
  const closed = options => {
    const breaker = make(options)
    const isAsMeant = calls =>
      breaker.state === 'closed' && breaker.snapshot().totals.succeeded === calls
    return { call: () => breaker.execute(answering), isRight: isAnswer, isAsMeant, close() {} }
  }
  const open = async (callOf, isRight) => {
    const breaker = make()
    await breakIt(() => breaker.execute(failing))
    const isAsMeant = calls =>
      breaker.state === 'open' && breaker.snapshot().totals.refused === calls
    return { call: callOf(breaker), isRight, isAsMeant, close() {} }
  }
  const instead = () => INSTEAD
  return {
    closed: () => closed(),
    timed: () => closed({ timeoutMs: TIMEOUT_MS }),
    open: () =>
      open(
        breaker => () => breaker.execute(answering),
        last => last instanceof CircuitOpenError,
      ),
    openTried: () =>
      open(
        breaker => () => breaker.tryExecute(answering),
        last => last.ok === false && last.refused,
      ),
    openInstead: () =>
      open(breaker => () => breaker.execute(answering, { fallback: instead }), isInstead),
  }
}

export function cockatiel() {
  const make = () => {
    const sampling = { threshold: RATE, duration: WINDOW_MS }
    const minimumRps = (MINIMUM_CALLS / WINDOW_MS) * MS_PER_SECOND
    const breaker = new SamplingBreaker({ ...sampling, minimumRps })
    return circuitBreaker(handleAll, { halfOpenAfter: LONG_WAIT_MS, breaker })
  }
  const contestant = (breaker, policy, state, isRight) => ({
    call: () => policy.execute(answering),
    isRight,
    isAsMeant: () => breaker.state === state,
    close() {},
  })
  const open = async (policyOf, isRight) => {
    const breaker = make()
    await breakIt(() => breaker.execute(failing))
    return contestant(breaker, policyOf(breaker), CircuitState.Open, isRight)
  }
  return {
    closed() {
      const breaker = make()
      return contestant(breaker, breaker, CircuitState.Closed, isAnswer)
    },
    timed() {
      const breaker = make()
      const policy = wrap(breaker, timeout(TIMEOUT_MS, TimeoutStrategy.Aggressive))
      return contestant(breaker, policy, CircuitState.Closed, isAnswer)
    },
    open: () =>
      open(
        breaker => breaker,
        last => last instanceof BrokenCircuitError,
      ),
    openInstead: () =>
      open(
        breaker =>
          wrap(
            fallback(handleAll, () => INSTEAD),
            breaker,
          ),
        isInstead,
      ),
  }
}

export function opossum() {
  const make = (action, options) =>
    new Opossum(action, {
      errorThresholdPercentage: RATE * PERCENT,
      volumeThreshold: MINIMUM_CALLS,
      rollingCountTimeout: WINDOW_MS,
      rollingCountBuckets: BUCKETS,
      resetTimeout: LONG_WAIT_MS,
      ...options,
    })
  const contestant = (breaker, isRight, isAsMeant) => ({
    call: () => breaker.fire(),
    isRight,
    isAsMeant,
    close: () => breaker.shutdown(),
  })
  const closed = options => {
    const breaker = make(answering, options)
    const isAsMeant = calls => breaker.closed && breaker.stats.successes === calls
    return contestant(breaker, isAnswer, isAsMeant)
  }
  const open = async (isRight, instead) => {
    const breaker = make(failing, { timeout: false })
    await breakIt(() => breaker.fire())
    // It reports a failure first and opens afterwards.
    await setImmediate()
    if (instead) breaker.fallback(instead)
    return contestant(breaker, isRight, calls => breaker.opened && breaker.stats.rejects === calls)
  }
  return {
    closed: () => closed({ timeout: false }),
    timed: () => closed({}),
    open: () => open(last => last.code === 'EOPENBREAKER'),
    openInstead: () => open(isInstead, () => INSTEAD),
  }
}
