// The Piscina task: one request, answered in a worker thread by one call to the dependency.
import { CircuitOpenError } from 'busbar'
import { workerData } from 'piscina'
import { request } from 'undici'
import { protections } from './protections.mjs'

const { protection, settings, dependencyUrl } = workerData
const protectedCall = protections[protection](callDependency, settings)

/** The call itself, the same whatever protects it: a bad status and a timeout are errors. */
async function callDependency(options) {
  const { statusCode, body } = await request(dependencyUrl, {
    ...options,
    signal: AbortSignal.timeout(settings.callTimeoutMs),
  })
  const text = await body.text()
  if (statusCode >= 500) throw new Error(`the dependency answered ${statusCode}`)
  return text
}

/**
 * @returns {Promise<{ status: number, body: string } |
 *   { refusal: { breaker: string, state: string, retryAfterMs: number } }>}
 */
export async function answer() {
  try {
    return { status: 200, body: await protectedCall() }
  } catch (error) {
    if (error instanceof CircuitOpenError) {
      // On its way to another thread an error loses its class and its fields.
      const { breaker, state, retryAfterMs } = error
      return { refusal: { breaker, state, retryAfterMs } }
    }
    if (error.code === 'EOPENBREAKER') return { status: 503, body: error.message }
    if (error.name === 'TimeoutError') return { status: 504, body: 'the dependency took too long' }
    return { status: 502, body: error.message }
  }
}
