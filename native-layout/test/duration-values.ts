/** Durations in ms for comparing who counts them: edges of counters and of rounding, and random. */
import {
  DURATION_COUNTERS,
  DURATION_OCTAVES,
  DURATION_UNIT_MICROS,
} from '../../src/memory/layout.ts'
import { LEAST_MS } from '../../src/protocol/durations.ts'
import type { Random } from '../../test/model/random.ts'

const TOO_LONG_MS = (DURATION_UNIT_MICROS * 2 ** DURATION_OCTAVES) / 1000

const EXTREMES = [
  ...[0, -0, 5e-324, 1e-9, 0.0004999999999999999, 0.0005, 0.0015, 0.0025, 0.999_499_999],
  ...[2 ** 31, 2 ** 32, 2 ** 40 / 1000, 2 ** 51 / 1000, 2 ** 52 / 1000, 2 ** 53 / 1000],
  ...[Number.MAX_SAFE_INTEGER / 1000, 2 ** 54 / 1000, 2 ** 63 / 1000, 2 ** 64 / 1000, 1e300],
  ...[Number.MAX_VALUE, Number.POSITIVE_INFINITY],
]

/** Not measured, so not counted. */
export const UNMEASURED = [-1, -5e-324, -1e300, Number.NEGATIVE_INFINITY, Number.NaN]

/** The least value of each counter, and what lies next to it, in doubles and in microseconds. */
function edges(): number[] {
  const least = LEAST_MS.slice(0, DURATION_COUNTERS)
  return least.flatMap(ms => {
    const ulp = ms * Number.EPSILON
    return [ms, ms + ulp, ms - ulp, ms + 0.0005, ms - 0.0005, ms - 0.0005 - ulp, ms - 0.001]
  })
}

/** `count` random ones besides, of every magnitude. */
export function durationValues(random: Random, count: number): number[] {
  const drawn = Array.from({ length: count }, () => {
    const ms = 2 ** random.between(-20, 30) * (1 + random.between(0, 2 ** 30) / 2 ** 30)
    return random.chance(0.5) ? ms : Math.round(ms * 2000) / 2000
  })
  const tooLong = [TOO_LONG_MS, TOO_LONG_MS - 0.0005, TOO_LONG_MS - 0.00050001]
  return [...EXTREMES, ...tooLong, ...edges(), ...drawn].filter(ms => ms >= 0 || Object.is(ms, -0))
}
