// The three ways to protect the call that the demo compares. Each takes the call, which takes
// options for undici's request(), and gives the protected one. The call tells the dependency the
// state of the breaker that let it through, in a header, so that it can count trials apart.
import { getRegistry } from 'busbar'
import { breakerInterceptor } from 'busbar/undici'
import OpossumBreaker from 'opossum'
import { Agent } from 'undici'

/**
 * @typedef {object} BreakerSettings  the same numbers for both kinds of breaker
 * @property {number} windowMs            outcomes of this long are looked at ...
 * @property {number} minimumCalls        ... once there are at least so many ...
 * @property {number} failureRate         ... and this part of them failed: open
 * @property {number} waitMs              open for this long, then trials
 * @typedef {(options?: object) => Promise<string>} Call
 */

const STATE_HEADER = 'x-breaker-state'

/** @returns {Call} */
function withoutBreaker(/** @type {Call} */ call) {
  return () => call()
}

/** One breaker in each worker: opossum keeps its state in the thread that made it. */
function withOpossumPerWorker(/** @type {Call} */ call, /** @type {BreakerSettings} */ settings) {
  const countedCall = () =>
    call({ headers: { [STATE_HEADER]: breaker.halfOpen ? 'half-open' : 'closed' } })
  const breaker = new OpossumBreaker(countedCall, {
    timeout: false, // the call has its own
    rollingCountTimeout: settings.windowMs,
    volumeThreshold: settings.minimumCalls,
    errorThresholdPercentage: settings.failureRate * 100,
    resetTimeout: settings.waitMs,
  })
  return () => breaker.fire()
}

/** One breaker for all workers: whichever thread calls an origin asks the same one. */
function withBusbarForAll(/** @type {Call} */ call, /** @type {BreakerSettings} */ settings) {
  const registry = getRegistry()
  const dispatcher = new Agent().compose(
    tellingState(registry),
    breakerInterceptor(registry, {
      max: 100, // a breaker for each origin; the demo has one
      slidingWindow: { type: 'time', durationMs: settings.windowMs, buckets: 10 },
      minimumNumberOfCalls: settings.minimumCalls,
      failureRateThreshold: settings.failureRate,
      waitDurationInOpenStateMs: settings.waitMs,
      permittedNumberOfCallsInHalfOpenState: 1, // as opossum: one success closes
    }),
  )
  return () => call({ dispatcher })
}

/** Only for the demo's counts. Stands inside the breaker: it sees what that let through. */
function tellingState(registry) {
  return dispatch => (request, handler) => {
    const { state } = registry.breaker(`undici:${request.origin}`)
    return dispatch({ ...request, headers: { [STATE_HEADER]: state } }, handler)
  }
}

export const protections = {
  none: withoutBreaker,
  opossum: withOpossumPerWorker,
  busbar: withBusbarForAll,
}
