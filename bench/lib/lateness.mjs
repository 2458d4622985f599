/**
 * Breakers that a team of threads works until they open, and how late they did.
 *
 * Late by n: n outcomes more were counted in the generation than the sequential specification needs
 * to open, those included whose records were under way when the breaker opened.
 */
import { opensAt } from './sequential.mjs'

/** So many calls that all threads are awake before the breaker opens. */
export const LIMIT = 1000
export const RATE = 0.5

/** No bucket ends within an episode, and no wait. */
const HOURS_MS = 36_000_000
const MOST_TICKETS = 1 << 17

export const WINDOWS = {
  'time window': { type: 'time', durationMs: HOURS_MS, buckets: 10 },
  'count window': { type: 'count', size: LIMIT },
  'consecutive window': { type: 'consecutive', failures: LIMIT },
}

export function hasRates(window) {
  return WINDOWS[window].type !== 'consecutive'
}

export function makeBreakers(registry) {
  for (const [name, slidingWindow] of Object.entries(WINDOWS)) {
    registry.breaker(name, {
      slidingWindow,
      minimumNumberOfCalls: LIMIT,
      failureRateThreshold: RATE,
      waitDurationInOpenStateMs: HOURS_MS,
    })
  }
}

function ruleOf(window) {
  return { ...WINDOWS[window], minimum: LIMIT, rate: RATE }
}

/**
 * Episodes in which all calls fail, after `healthy` successes. When they open does not depend on the
 * order of the outcomes, and docs/protocol.md (P4) has a bound: one outcome for each other thread,
 * which may be in the midst of a record. It is checked here.
 *
 * A consecutive window has one way past it: an outcome that loses its exchange on the row too often
 * stays out of the row. So there the row itself is held against the bound.
 *
 * @returns {Promise<{ late: number, threads: number }[]>}   for each episode: how late, and how many
 *   threads had a part in it
 */
export async function failing(team, window, { healthy, episodes, seed }) {
  const order = { breaker: window, episodes, healthy, failurePercent: 100, seed }
  const answers = await team.run(order)
  const outcomes = Array.from({ length: healthy + 2 * LIMIT }, (_, at) => (at < healthy ? 0 : 1))
  const exact = opensAt(ruleOf(window), outcomes)
  return answers[0].map(({ counted, openedBy }, episode) => {
    const recorded = hasRates(window) ? counted : openedBy
    if (!(recorded >= exact && recorded < exact + team.threads && counted >= recorded)) {
      const text = `${counted} outcomes, ${recorded} recorded, ${exact} needed`
      throw new Error(`${window}, ${team.threads} threads: P4 does not hold: ${text}`)
    }
    const threads = answers.filter(found => found[episode].mine > 0).length
    return { late: counted - exact, threads }
  })
}

/**
 * Episodes in which a part of the calls fails. Lateness is held against the order in which threads
 * took tickets just before their records, which is nearly that of the records; it may be below zero.
 *
 * @returns {Promise<number[]>}
 */
export async function mixing(team, window, { healthy, failurePercent, episodes, seed }) {
  const bytes = (1 + MOST_TICKETS) * Int32Array.BYTES_PER_ELEMENT
  const tickets = new Int32Array(new SharedArrayBuffer(bytes))
  const order = { breaker: window, episodes, healthy, failurePercent, seed, tickets }
  const [found] = await team.run(order)
  return found.map(({ counted, outcomes }) => {
    const all = [...new Array(healthy).fill(0), ...outcomes]
    // In the order of the tickets it may open with the outcome after the last one.
    const exact = opensAt(ruleOf(window), all) || all.length
    return counted - exact
  })
}
