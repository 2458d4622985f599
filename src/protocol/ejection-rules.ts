/**
 * Which hosts are ejected, and for how long. Pure: counts in, answers out. The rules are those of
 * Envoy's outlier detection ("Ejection algorithm", "Detection types" in its architecture overview).
 */
import { HOSTS_OPTION, MAX_EJECTED } from '../memory/controls.ts'
import { MAX_IN_A_ROW } from '../memory/words/hosts.ts'
import type { SharedNumbers } from '../options/shared.ts'
import { uniform } from './wait.ts'

/** How many of a group's hosts may be ejected at a time: one always may. */
export function allowedEjections(hosts: number, maxPercent: number): number {
  return Math.min(Math.max(1, Math.floor((maxPercent * hosts) / 100)), MAX_EJECTED)
}

/** Ejections in a row that still count at `now`: one less for each whole interval of freedom. */
export function ejectionsLeft(
  inARow: number,
  untilMs: number,
  now: number,
  intervalMs: number,
): number {
  return Math.max(0, inARow - Math.floor(Math.max(0, now - untilMs) / intervalMs))
}

/**
 * How long the `inARow`-th ejection in a row lasts, counted from 1. The random part is drawn from
 * the host's seed and the episode, as breakers' waits are.
 */
export function ejectionMsOf(
  numbers: SharedNumbers,
  inARow: number,
  seed: number,
  episode: number,
): number {
  const baseMs = numbers[HOSTS_OPTION.BASE_EJECTION_MS] as number
  const maxMs = numbers[HOSTS_OPTION.MAX_EJECTION_MS] as number
  const jitter = numbers[HOSTS_OPTION.JITTER] as number
  return Math.min(maxMs, baseMs * inARow) * (1 + jitter * uniform(seed ^ episode))
}

/** No ejection lasts longer than this, rounding to whole ms included. */
export function longestEjectionMsOf(numbers: SharedNumbers): number {
  const maxMs = numbers[HOSTS_OPTION.MAX_EJECTION_MS] as number
  return maxMs * (1 + (numbers[HOSTS_OPTION.JITTER] as number)) + 1
}

export function nextInARow(left: number): number {
  return Math.min(left + 1, MAX_IN_A_ROW)
}

/** What a host did in one interval. */
export interface Sample {
  readonly calls: number
  readonly failures: number
}

function successRateOf({ calls, failures }: Sample): number {
  return (calls - failures) / calls
}

/** Those of `samples` that are to be ejected, the worst first. */
export function outliersOf<S extends Sample>(samples: readonly S[], numbers: SharedNumbers): S[] {
  const bad = new Set([...farBelowMean(samples, numbers), ...mostlyFailing(samples, numbers)])
  return samples
    .filter(sample => bad.has(sample))
    .sort((a, b) => successRateOf(a) - successRateOf(b))
}

/** Those with so many calls; none when they are fewer than so many hosts. */
function comparable<S extends Sample>(samples: readonly S[], volume: number, hosts: number): S[] {
  const enough = samples.filter(({ calls }) => calls >= volume)
  return enough.length >= hosts ? enough : []
}

function farBelowMean<S extends Sample>(samples: readonly S[], numbers: SharedNumbers): S[] {
  const factor = numbers[HOSTS_OPTION.STDEV_FACTOR] as number
  const volume = numbers[HOSTS_OPTION.STDEV_VOLUME] as number
  const hosts = numbers[HOSTS_OPTION.STDEV_HOSTS] as number
  if (!(factor > 0)) return []
  const compared = comparable(samples, volume, hosts)
  const least = leastRate(compared.map(successRateOf), factor)
  return compared.filter(sample => successRateOf(sample) < least)
}

/**
 * mean - factor * population standard deviation. Taken as differences from the first rate, so that
 * rates that are equal have exactly that mean, and none of them is below it by rounding.
 */
export function leastRate(rates: readonly number[], factor: number): number {
  const [first = 0] = rates
  const count = Math.max(1, rates.length)
  const shift = rates.reduce((sum, rate) => sum + (rate - first), 0) / count
  const squares = rates.reduce((sum, rate) => sum + (rate - first - shift) ** 2, 0)
  return first + shift - factor * Math.sqrt(squares / count)
}

function mostlyFailing<S extends Sample>(samples: readonly S[], numbers: SharedNumbers): S[] {
  const threshold = numbers[HOSTS_OPTION.FAILURE_THRESHOLD] as number
  const volume = numbers[HOSTS_OPTION.FAILURE_VOLUME] as number
  const hosts = numbers[HOSTS_OPTION.FAILURE_HOSTS] as number
  if (!(threshold > 0)) return []
  const judged = comparable(samples, volume, hosts)
  return judged.filter(({ calls, failures }) => failures / calls >= threshold)
}
