/**
 * The share of a core that this process takes while its main thread does almost nothing: with a
 * keeper, kept awake or left asleep, and without one.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { registryWith } from './registry.mjs'

/** Often enough that each tick of the keeper is seen. */
const CALLS_EVERY_MS = 2
/** Longer than the keeper stays awake when nobody makes use of it. */
const FALLING_ASLEEP_MS = 400
const MICROSECONDS_A_MS = 1000

/** Two looks at the time, which is what makes a keeper that sleeps worth waking. */
function callTwice(breaker) {
  for (let call = 0; call < 2; call++) breaker.recordSuccess(breaker.tryAcquire())
}

/** In percent of one core. */
async function shareDuring(ms, breaker) {
  const timer = breaker && setInterval(callTwice, CALLS_EVERY_MS, breaker)
  const startedAt = performance.now()
  const before = process.cpuUsage()
  await delay(ms)
  const { user, system } = process.cpuUsage(before)
  const elapsedMs = performance.now() - startedAt
  clearInterval(timer)
  return (100 * (user + system)) / MICROSECONDS_A_MS / elapsedMs
}

/** Throws when a keeper that is there is not in that state. True when there is one. */
function requireKeeper(registry, state) {
  const { keeper = 'none' } = registry.snapshot()
  if (keeper !== 'none' && keeper !== state)
    throw new Error(`the keeper is ${keeper}, not ${state}`)
  return keeper !== 'none'
}

/**
 * Breakers that all have an outcome in their windows, which the keeper adds up with each new bucket.
 *
 * @param {{ keeper: boolean, breakers: number, rounds: number, workMs: number, restMs: number }} how
 * @returns {Promise<{ atWork: number[], atRest: number[], hasKeeper: boolean }>}   in percent
 */
export async function cpuShares({ keeper, breakers, rounds, workMs, restMs }) {
  const registry = await registryWith(keeper, { maxBreakers: breakers })
  const atWork = []
  const atRest = []
  let hasKeeper = false
  try {
    const made = Array.from({ length: breakers }, (_, index) => registry.breaker(`b-${index}`))
    for (let round = 0; round < rounds; round++) {
      // For the ten seconds of their windows.
      for (const breaker of made) breaker.recordSuccess(breaker.tryAcquire())
      // Not counted: what making the breakers left behind, and the waking.
      await shareDuring(FALLING_ASLEEP_MS, made[0])
      atWork.push(await shareDuring(workMs, made[0]))
      hasKeeper = requireKeeper(registry, 'awake')
      await delay(FALLING_ASLEEP_MS)
      atRest.push(await shareDuring(restMs, undefined))
      requireKeeper(registry, 'asleep')
    }
  } finally {
    registry.close()
  }
  return { atWork, atRest, hasKeeper }
}
