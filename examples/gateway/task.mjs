// The Piscina task: one request, answered in a worker thread by one call to the dependency.
import { workerData } from 'piscina'
import { isRefusal, protections } from './protections.mjs'

const { protection, settings, dependencyUrl } = workerData
const protectedCall = protections[protection](settings, dependencyUrl)

/** The call itself, the same whatever protects it: a bad status and a timeout are errors. */
async function callDependency(breakerState) {
  const response = await fetch(dependencyUrl, {
    headers: { 'x-breaker-state': breakerState },
    signal: AbortSignal.timeout(settings.callTimeoutMs),
  })
  const body = await response.text()
  if (!response.ok) throw new Error(`the dependency answered ${response.status}`)
  return body
}

/** @returns {Promise<{ status: number, body: string }>} */
export async function answer() {
  try {
    return { status: 200, body: await protectedCall(callDependency) }
  } catch (error) {
    if (isRefusal(error)) return { status: 503, body: 'not now: a stored answer instead' }
    if (error.name === 'TimeoutError') return { status: 504, body: 'the dependency took too long' }
    return { status: 502, body: error.message }
  }
}
