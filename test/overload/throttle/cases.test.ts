/** AT-01 and AT-03 of test/cases/cases.jsonl. Threshold 100 and aggression 1 of Envoy are k = 1. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createRegistry } from '../../../src/index.ts'

interface Case {
  readonly id: string
  readonly title: string
  readonly config: {
    readonly throttle: {
      readonly k?: number
      readonly windowMs: number
      readonly bucketMs: number
      readonly minRps?: number
      readonly maxRejection?: number
    }
  }
  readonly steps: readonly {
    readonly t: number
    readonly outcome?: 'success' | 'failure'
    readonly n?: number
    readonly expectRejectP?: { readonly p: number; readonly tol?: number }
  }[]
}

const TOLERANCE = 1e-9
const text = readFileSync(new URL('../../cases/cases.jsonl', import.meta.url), 'utf8')
const cases = text
  .split('\n')
  .filter(line => line !== '')
  .map(line => JSON.parse(line) as Case)
  .filter(({ id }) => id === 'AT-01' || id === 'AT-03')

it('both cases are there, with ten buckets', () => {
  expect(cases.map(({ id }) => id)).toEqual(['AT-01', 'AT-03'])
  for (const { config } of cases)
    expect(config.throttle.windowMs).toBe(10 * config.throttle.bucketMs)
})

it.each(cases)('$id: $title', ({ config, steps }) => {
  const { k = 1, windowMs, minRps = 0, maxRejection = 1 } = config.throttle
  using registry = createRegistry({ clock: 'manual' })
  const throttle = registry.throttle('t', {
    k,
    windowMs,
    minimumRequestsPerSecond: minRps,
    maxRejectionProbability: maxRejection,
  })
  for (const { t, outcome, n = 1, expectRejectP } of steps) {
    registry.advance(t - registry.now())
    for (let call = 0; outcome !== undefined && call < n; call++) {
      // The case says what was answered, not what was asked: permits are all the same.
      if (outcome === 'success') throttle.recordAccepted(0)
      else throttle.recordRejected(0)
    }
    if (expectRejectP === undefined) continue
    const { p, tol = TOLERANCE } = expectRejectP
    expect(Math.abs(throttle.rejectionProbability - p)).toBeLessThanOrEqual(tol)
  }
})
