/**
 * Breakers for the threads of a crew, and the proof that the crew found them in the state that was
 * meant. One registry with a keeper and one without serve all runs of a question, for each kernel: a registry for
 * each run would have a keeper starting in the midst of what is measured.
 */
import { registryWith } from './registry.mjs'

/** Far longer than any measurement, so that an open breaker stays open. */
export const LONG_WAIT_MS = 600_000

export class SharedBreakers {
  #threads
  #registries = new Map()

  /** @param {number} threads   that attach at the same time */
  constructor(threads) {
    this.#threads = threads
  }

  /**
   * @param {object} options
   * @param {boolean} options.keeper
   * @param {'js' | 'wasm'} options.kernel
   * @param {'closed' | 'open'} options.state
   * @param {'time' | 'count'} [options.window]   with its defaults
   * @returns {Promise<{ input: unknown, check(calls: number): void }>} `input`: for the jobs in
   *   calls.mjs and single.mjs; `check` throws unless so many calls, and no others, were made in
   *   that state since
   */
  async find({ keeper, kernel, state, window = 'time' }) {
    const registry = await this.#registryWith(keeper, kernel)
    const name = `${state}, ${window} window`
    const slidingWindow = { type: window }
    const options = { slidingWindow, waitDurationInOpenStateMs: LONG_WAIT_MS }
    const breaker = registry.breaker(name, options)
    if (state === 'open') breaker.open()
    const before = breaker.snapshot()
    return {
      input: { handle: registry.handle, breaker: name },
      check: calls => checkTotals(before, breaker.snapshot(), state, calls),
    }
  }

  async #registryWith(keeper, kernel) {
    const key = `${keeper} ${kernel}`
    let registry = this.#registries.get(key)
    if (registry === undefined) {
      // Room for the threads, this one and a keeper: nobody shares the overflow slot.
      const options = { kernel, maxBreakers: 8, maxThreads: this.#threads + 2 }
      registry = await registryWith(keeper, options)
      this.#registries.set(key, registry)
    }
    return registry
  }

  /** To be called when the threads have ended. */
  close() {
    for (const registry of this.#registries.values()) registry.close()
  }
}

function checkTotals(before, after, state, calls) {
  const moved = key => after.totals[key] - before.totals[key]
  const permitted = state === 'closed' ? calls : 0
  const isRight =
    after.state === state &&
    after.generation === before.generation &&
    moved('admitted') === permitted &&
    moved('succeeded') === permitted &&
    moved('refused') === calls - permitted
  if (isRight) return
  const totals = JSON.stringify({ before: before.totals, after: after.totals })
  throw new Error(`${calls} calls while ${state}: it is ${after.state}, with ${totals}`)
}
