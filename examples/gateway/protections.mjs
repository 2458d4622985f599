// The three ways to protect the call that the demo compares. Each takes the settings and gives a
// function that makes one call. The call is told the state of the breaker that let it through, so
// that the dependency can count trials apart.
import { CircuitOpenError, getRegistry } from 'busbar'
import OpossumBreaker from 'opossum'

/**
 * @typedef {object} BreakerSettings  the same numbers for both kinds of breaker
 * @property {number} windowMs            outcomes of this long are looked at ...
 * @property {number} minimumCalls        ... once there are at least so many ...
 * @property {number} failureRate         ... and this part of them failed: open
 * @property {number} waitMs              open for this long, then trials
 * @typedef {(breakerState: string) => Promise<string>} Call
 */

/** @returns {(call: Call) => Promise<string>} */
function withoutBreaker() {
  return call => call('none')
}

/** One breaker in each worker: opossum keeps its state in the thread that made it. */
function withOpossumPerWorker(/** @type {BreakerSettings} */ settings) {
  const breaker = new OpossumBreaker(call => call(breaker.halfOpen ? 'half-open' : 'closed'), {
    timeout: false, // the call has its own
    rollingCountTimeout: settings.windowMs,
    volumeThreshold: settings.minimumCalls,
    errorThresholdPercentage: settings.failureRate * 100,
    resetTimeout: settings.waitMs,
  })
  return (/** @type {Call} */ call) => breaker.fire(call)
}

/** One breaker for all workers: whichever thread asks for the name gets the same one. */
function withBusbarForAll(/** @type {BreakerSettings} */ settings, /** @type {string} */ url) {
  const breaker = getRegistry().breaker(new URL(url).host, {
    slidingWindow: { type: 'time', durationMs: settings.windowMs, buckets: 10 },
    minimumNumberOfCalls: settings.minimumCalls,
    failureRateThreshold: settings.failureRate,
    waitDurationInOpenStateMs: settings.waitMs,
    permittedNumberOfCallsInHalfOpenState: 1, // as opossum: one success closes
  })
  return (/** @type {Call} */ call) => breaker.execute(() => call(breaker.state))
}

export const protections = {
  none: withoutBreaker,
  opossum: withOpossumPerWorker,
  busbar: withBusbarForAll,
}

/** @returns {boolean} whether a breaker refused the call, as against a call that failed */
export function isRefusal(error) {
  return error instanceof CircuitOpenError || error?.code === 'EOPENBREAKER'
}
