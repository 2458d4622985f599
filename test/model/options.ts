import type { Random } from './random.ts'
import type { Options, Window } from './reference-types.ts'

/**
 * Random options, small enough that sixty steps reach every state. An option left out takes its
 * default, in the reference and in busbar alike.
 */
export function randomOptions(random: Random): Options {
  const options: Options = {}
  if (random.chance(0.9)) options.slidingWindow = randomWindow(random)
  if (random.chance(0.8)) options.minimumNumberOfCalls = random.pick([1, 1, 2, 3, 4, 5, 7, 12])
  if (random.chance(0.8)) {
    options.failureRateThreshold = random.pick([0.01, 0.25, 1 / 3, 0.5, 0.56, 2 / 3, 0.9, 1])
  }
  if (random.chance(0.5)) options.slowCallDurationThresholdMs = random.pick([0, 1, 5, 100, 2_000])
  if (random.chance(0.5)) options.slowCallRateThreshold = random.pick([0.2, 1 / 3, 0.5, 0.75, 1])
  if (random.chance(0.9)) options.waitDurationInOpenStateMs = randomWait(random)
  if (random.chance(0.8)) {
    options.permittedNumberOfCallsInHalfOpenState = random.pick([1, 1, 2, 2, 3, 4, 5, 64])
  }
  if (random.chance(0.5)) {
    options.halfOpenFailureRateThreshold = random.pick([0.01, 1 / 3, 0.5, 2 / 3, 0.75, 1])
  }
  if (random.chance(0.9)) options.trialTimeoutMs = random.pick([1, 2, 7, 50, 1_000, 60_000])
  return options
}

function randomWindow(random: Random): Window {
  switch (random.weighted({ time: 5, count: 3, consecutive: 2 })) {
    case 'time': {
      // 7 of 1000 ms: buckets whose edges fall between two milliseconds.
      const [durationMs, buckets] = random.pick([
        [1, 1],
        [10, 10],
        [10, 1],
        [100, 4],
        [1_000, 7],
        [1_000, 10],
        [10_000, 10],
        [60_000, 60],
      ] as const)
      return { type: 'time', durationMs, buckets }
    }
    case 'count':
      return { type: 'count', size: random.pick([1, 2, 3, 5, 8, 20, 100]) }
    case 'consecutive':
      return { type: 'consecutive', failures: random.pick([1, 2, 3, 5]) }
  }
}

function randomWait(random: Random): NonNullable<Options['waitDurationInOpenStateMs']> {
  const initialMs = random.pick([0, 1, 3, 40, 1_000, 30_000])
  if (random.chance(0.4)) return initialMs
  return {
    initialMs,
    ...(random.chance(0.7) && { multiplier: random.pick([1, 1.5, 2, 3, 10]) }),
    ...(random.chance(0.6) && { maxMs: initialMs * random.pick([1, 2, 3, 100]) }),
  }
}
