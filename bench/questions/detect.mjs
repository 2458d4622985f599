/** How many outcomes late does a breaker open, when several threads record at once? */
import { availableParallelism } from 'node:os'
import { failing, hasRates, LIMIT, makeBreakers, mixing, RATE, WINDOWS } from '../lib/lateness.mjs'
import { registryWith } from '../lib/registry.mjs'
import { median, row } from '../lib/result.mjs'
import { openTeam } from '../lib/team.mjs'

export const title = 'How many outcomes late does a breaker open?'

const THREADS = [1, 2, 4, 8]
const FAILURE_PERCENTS = [60, 80]

/** Successes before the failures; to a row of failures they are nothing. */
const STARTS = { 'from an empty window': 0, [`after ${LIMIT} successes`]: LIMIT }

/**
 * Of each kind so many episodes in which several threads had a part, or what comes up in the time:
 * on a busy machine one thread is often through before another has got a core.
 */
const FULL = { wanted: 200, budgetMs: 1_500, order: 50, mixing: 10, rounds: 5 }
const QUICK = { wanted: 20, budgetMs: 120, order: 10, mixing: 3, rounds: 2 }

function highest(values) {
  return Math.max(...values)
}

/** The value that all but one in a hundred do not exceed. */
function percentile99(values) {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1]
}

const STATISTICS = { median, '99th percentile': percentile99, highest }

function threadsOf(count) {
  return count === 1 ? '1 thread' : `${count} threads`
}

/** The items in so many parts of about the same size, none of them empty. */
function inParts(items, parts) {
  const size = Math.max(1, Math.ceil(items.length / parts))
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, part) => part * size)
  return starts.map(start => items.slice(start, start + size))
}

/** Episodes in which all calls fail. The first order warms the threads up, and is checked as well. */
async function failOften(team, window, healthy, plan, random) {
  const order = () => ({ healthy, episodes: plan.order, seed: Math.floor(random() * 2 ** 32) })
  const warmUp = await failing(team, window, order())
  const found = []
  const isShared = ({ threads }) => threads === team.threads || threads > 1
  const endAt = performance.now() + plan.budgetMs
  do found.push(...(await failing(team, window, order())))
  while (found.filter(isShared).length < plan.wanted && performance.now() < endAt)
  return { all: [...warmUp, ...found], shared: found.filter(isShared), made: found.length }
}

async function failRows(team, plan, noted, random) {
  const { threads } = team
  const rows = []
  for (const window of Object.keys(WINDOWS)) {
    for (const [start, healthy] of Object.entries(STARTS)) {
      if (healthy > 0 && !hasRates(window)) continue
      const { all, shared, made } = await failOften(team, window, healthy, plan, random)
      noted.episodes.push({ threads, shared: shared.length, made })
      if (!hasRates(window)) noted.strayed.push(...all.filter(({ late }) => late >= threads))
      const rounds = inParts(
        shared.map(({ late }) => late),
        plan.rounds,
      )
      for (const [statistic, of] of Object.entries(rounds.length > 0 ? STATISTICS : {})) {
        const label = `${start}: ${statistic}`
        rows.push({ window, ...row(label, rounds.map(of), { x: threads, role: 'busbar' }) })
      }
    }
  }
  return rows
}

async function mixRows(team, plan, random) {
  const { threads } = team
  const rows = []
  for (const window of Object.keys(WINDOWS).filter(hasRates)) {
    for (const failurePercent of FAILURE_PERCENTS) {
      const highests = []
      for (let round = 0; round < plan.rounds; round++) {
        const seed = Math.floor(random() * 2 ** 32)
        const size = { healthy: LIMIT, failurePercent, episodes: plan.mixing, seed }
        highests.push(highest(await mixing(team, window, size)))
      }
      const label = `${window}, ${threadsOf(threads)}`
      rows.push(row(label, highests, { x: failurePercent, role: 'busbar' }))
    }
  }
  return rows
}

function panelsOf(failed, mixed) {
  const common = { unit: 'outcomes', better: 'lower', scale: 'linear' }
  const bounds = THREADS.map(threads =>
    row('bound: threads - 1', [threads - 1], { x: threads, role: 'floor' }),
  )
  return [
    ...Object.keys(WINDOWS).map(window => ({
      ...common,
      title: `Outcomes late, ${window}, all calls fail`,
      x: 'threads',
      rows: [
        ...failed.filter(found => found.window === window).map(({ window: _, ...rest }) => rest),
        ...bounds,
      ],
    })),
    {
      ...common,
      title: 'Outcomes late, some calls fail: the highest of a round',
      x: 'failures, %',
      rows: mixed,
    },
  ]
}

function notesOn({ episodes, strayed }) {
  const shares = THREADS.slice(1).map(threads => {
    const own = episodes.filter(found => found.threads === threads)
    const total = key => own.reduce((sum, found) => sum + found[key], 0)
    return `${total('shared')} of ${total('made')} with ${threadsOf(threads)}`
  })
  const strays =
    strayed.length === 0
      ? 'None came later than the bound by that in this run.'
      : `By that, ${strayed.length} episodes came later than the bound, by up to ` +
        `${highest(strayed.map(({ late }) => late))} outcomes in all.`
  return [
    'Late by n: n outcomes more were counted in the generation than the sequential specification ' +
      'needs to open, those included whose records were under way when the breaker opened. An ' +
      'episode: reset, all threads at the gate, calls until refused.',
    `Minimum ${LIMIT} calls, threshold ${RATE}; ${LIMIT} failures in a row; the count window holds ` +
      `${LIMIT}. Where all calls fail the bound was checked in every episode; for the consecutive ` +
      'window, of the row itself.',
    'In a consecutive window an outcome that loses 64 exchanges in a row stays out of the row, as a ' +
      `slow thread's may while a fast one fails without a pause. ${strays}`,
    `The figures are of episodes in which more than one thread had a part: ${shares.join(', ')}. ` +
      `Threads beyond the ${availableParallelism()} cores here take turns: they are late only when ` +
      'one of them loses its core in the midst of a record.',
    `Where some calls fail, after ${LIMIT} successes, the rate may cross the threshold more than ` +
      'once, and there is no bound. Lateness is held against the order in which the threads took ' +
      'numbers just before their records; the order of the records may differ from it by an outcome ' +
      'for each thread, to either side. For information.',
  ]
}

export async function ask({ quick, say, random }) {
  const plan = quick ? QUICK : FULL
  const failed = []
  const mixed = []
  const noted = { episodes: [], strayed: [] }
  const registry = await registryWith(false)
  try {
    makeBreakers(registry)
    for (const threads of THREADS) {
      say(threadsOf(threads))
      const job = new URL('../jobs/episodes.mjs', import.meta.url)
      const team = openTeam(registry.handle, threads, job)
      try {
        failed.push(...(await failRows(team, plan, noted, random)))
        mixed.push(...(await mixRows(team, plan, random)))
      } finally {
        await team.close()
      }
    }
  } finally {
    registry.close()
  }
  return { panels: panelsOf(failed, mixed), notes: notesOn(noted) }
}
