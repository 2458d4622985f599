// One run: starts the dependency, the gateway and the client, and plays the phases.
import { setTimeout as sleep } from 'node:timers/promises'
import { startClient } from './client.mjs'
import { startDependency } from './dependency.mjs'
import { startGateway } from './gateway.mjs'
import { recovery, summarize } from './measure.mjs'

/** Before the first phase and not reported: workers started, code compiled, connections made. */
const WARM_UP_REQUESTS = 100

/**
 * @typedef {object} Phase
 * @property {string} name
 * @property {import('./dependency.mjs').Behaviour} behaviour
 * @property {number} durationMs
 * @property {boolean} [quiet]  no load in this phase
 * @property {number} [msSinceTrial]  begins when the last trial is so long ago, with the load kept
 *   up until then: when the dependency recovers between two trials must not be a run's luck
 * @property {boolean} [recovery]  the dependency is back: measure how soon the traffic is
 *
 * @typedef {ReturnType<typeof summarize> & Partial<ReturnType<typeof recovery>> &
 *   { name: string, calls: number, trials: number }} PhaseResult
 */

/**
 * @param {import('./protections.mjs').BreakerSettings & { callTimeoutMs: number, workers: number,
 *   requestsPerSecond: number, phases: Iterable<Phase>, atomics?: 'sync' | 'async' | 'disabled' }} plan
 * @param {'none' | 'opossum' | 'busbar'} protection
 * @param {(result: PhaseResult) => void} [onPhase]  called as soon as a phase's answers are in
 * @returns {Promise<PhaseResult[]>}
 */
export async function run(plan, protection, onPhase = () => {}) {
  const { workers, atomics, requestsPerSecond, phases, ...settings } = plan
  const dependency = await startDependency()
  const gateway = await startGateway({
    protection,
    dependencyUrl: dependency.url,
    workers,
    atomics,
    settings,
  })
  const client = startClient(gateway.url)
  const intervalMs = 1000 / requestsPerSecond

  async function loadUntil(isTime) {
    for (let i = 0; i < 10 * requestsPerSecond; i += 1) {
      if (isTime(await dependency.msSinceTrial())) return
      await client.load({ requests: 1, intervalMs }).sent
    }
    throw new Error('no breaker has tried for 10 seconds')
  }

  async function waitForTrialAge(wantedMs) {
    if ((await dependency.msSinceTrial()) === Number.POSITIVE_INFINITY) return // no breaker
    await dependency.enter('between trials', 'hang')
    await loadUntil(age => age < wantedMs)
    await loadUntil(age => age >= wantedMs)
  }

  async function play(phase) {
    if (phase.msSinceTrial) await waitForTrialAge(phase.msSinceTrial)
    const { atMs } = await dependency.enter(phase.name, phase.behaviour)
    if (phase.quiet) return sleep(phase.durationMs)
    const requests = Math.round(phase.durationMs / intervalMs)
    const { sent, answered } = client.load({ requests, intervalMs })
    const result = answered.then(async answers => ({
      name: phase.name,
      ...summarize(answers),
      ...(phase.recovery ? recovery(answers, atMs) : {}),
      ...(await dependency.counts(phase.name)),
    }))
    results.push(result)
    result.then(onPhase)
    await sent
  }

  const results = []
  try {
    await dependency.enter('warm-up', 'answer')
    // One for each worker first: none is to meet the load before its code is there.
    await client.load({ requests: workers, intervalMs }).answered
    await client.load({ requests: WARM_UP_REQUESTS, intervalMs }).answered
    for (const phase of phases) await play(phase)
    return await Promise.all(results)
  } finally {
    client.stop()
    await gateway.stop()
    await dependency.stop()
  }
}
