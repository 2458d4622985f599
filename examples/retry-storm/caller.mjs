// How a layer calls the next one. Everything that differs between the runs is here.
import { getRegistry, retry } from 'busbar'

/** @typedef {{ attempts: number, budget?: string }} Retries  the budget by the name of the run */

/**
 * A function that gets a URL and says whether that succeeded in the end.
 * @param {{ name: string, retries: Retries }} options
 */
export function callerOf({ name, retries: { attempts, budget: run } }) {
  // One budget a layer, for all its threads: a fifth more calls than without retries.
  const limits = { ratio: 0.2, minimumPerSecond: 0 }
  const budget = run && getRegistry().retryBudget(`${name}, ${run}`, limits)
  const options = { attempts, backoff: { initialMs: 1 }, ...(budget && { budget }) }
  return async url => {
    try {
      await retry(({ signal }) => get(url, signal), options)
      return true
    } catch {
      return false
    }
  }
}

// To read twice is to read once: a GET may be retried.
async function get(url, signal) {
  const response = await fetch(url, { signal })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
}
