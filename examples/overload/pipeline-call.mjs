// How a thread makes a user's request, in two ways. Everything that differs between them is here.
import { getRegistry } from 'busbar'

const ATTEMPTS = 3
const TIMEOUT_MS = 1_000

export const MAX_IN_FLIGHT = 40

/** Each takes the dependency's URL and gives a function that makes one request for a user. */
export const ways = {
  'retry loop': url => async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await get(url, AbortSignal.timeout(TIMEOUT_MS))
      } catch (error) {
        if (attempt === ATTEMPTS) throw error
      }
    }
  },

  pipeline: url => {
    const pipeline = getRegistry().pipeline('dependency', {
      retry: { attempts: ATTEMPTS, backoff: { initialMs: 20 }, budget: { ratio: 0.2 } },
      // Windows are short, because everything here is. The hung calls of one bulkhead are fewer
      // than the minimum: the throttle leaves those to the breaker.
      throttle: { k: 1.5, windowMs: 1_000, minimumRequestsPerSecond: 50 },
      bulkhead: { maxConcurrentCalls: MAX_IN_FLIGHT },
      breaker: {
        slidingWindow: { type: 'time', durationMs: 1_000 },
        // Of an overloaded dependency some calls are served: that is for the throttle.
        failureRateThreshold: 0.8,
        slowCallDurationThresholdMs: 500,
        slowCallRateThreshold: 0.5,
        countHangingCalls: true,
        waitDurationInOpenStateMs: 200,
      },
      timeoutMs: TIMEOUT_MS,
    })
    return () => pipeline.execute(({ signal }) => get(url, signal))
  },
}

export async function get(url, signal) {
  const response = await fetch(url, { signal })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
}
