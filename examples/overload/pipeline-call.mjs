// How a thread makes a request for a user, in two ways. All that differs between them is here.
import { getRegistry } from 'busbar'

const ATTEMPTS = 3
const TIMEOUT_MS = 1_000

export const MAX_IN_FLIGHT = 40

/** Each gives a function that is told how to send a request, and does so as it sees fit. */
export const ways = {
  'retry loop': () => async send => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(AbortSignal.timeout(TIMEOUT_MS))
      } catch (error) {
        if (attempt === ATTEMPTS) throw error
      }
    }
  },

  pipeline: () => {
    // Windows and waits are short, because all that happens here is.
    const pipeline = getRegistry().pipeline('dependency', {
      retry: { attempts: ATTEMPTS, backoff: { initialMs: 20 }, budget: { ratio: 0.2 } },
      // It lets half of them through at the worst. To stop all is for the breaker, and it is those
      // that get to the breaker by which both find the dependency well again.
      throttle: { windowMs: 500, minimumRequestsPerSecond: 50, maxRejectionProbability: 0.5 },
      bulkhead: { maxConcurrentCalls: MAX_IN_FLIGHT },
      breaker: {
        slidingWindow: { type: 'time', durationMs: 1_000 },
        // An overloaded dependency serves some calls: those are worth making.
        failureRateThreshold: 0.8,
        slowCallDurationThresholdMs: 500,
        slowCallRateThreshold: 0.5,
        countHangingCalls: true,
        waitDurationInOpenStateMs: 200,
      },
      timeoutMs: TIMEOUT_MS,
    })
    return send => pipeline.execute(({ signal }) => send(signal))
  },
}
