/** Nanoseconds of one call of something that takes from tens of nanoseconds to milliseconds. */
import { shuffled } from './result.mjs'

const NS_PER_MS = 1e6

/** What is computed goes here, so that it is not optimised away. */
let sink = 0

function nanosecondsOf(work, times) {
  const start = process.hrtime.bigint()
  for (let call = 0; call < times; call++) sink += work(call)
  return Number(process.hrtime.bigint() - start)
}

/** So many calls as take about `ms`; calling that often warms them up as well. */
function timesWithin(work, ms) {
  for (let times = 1; ; times *= 2) {
    const ns = nanosecondsOf(work, times)
    if (ns >= ms * NS_PER_MS) return Math.max(1, Math.round((times * ms * NS_PER_MS) / ns))
  }
}

/**
 * Times each of `works` in every round, in another order each time. `work(call)` must return a
 * number.
 *
 * @template {{ work: (call: number) => number }} T
 * @param {readonly T[]} works
 * @param {{ ms: number, rounds: number, random: () => number }} how
 * @returns {Map<T, number[]>}   nanoseconds a call, one figure a round
 */
export function timeEach(works, { ms, rounds, random }) {
  const times = new Map(works.map(one => [one, timesWithin(one.work, ms)]))
  const runs = new Map(works.map(one => [one, []]))
  for (let round = 0; round < rounds; round++) {
    for (const one of shuffled(works, random)) {
      const calls = times.get(one)
      runs.get(one).push(nanosecondsOf(one.work, calls) / calls)
    }
  }
  if (!Number.isFinite(sink)) throw new Error('what was timed did not return numbers')
  return runs
}
