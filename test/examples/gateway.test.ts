import { describe, expect, test } from 'vitest'
import { runScript } from './run-example.ts'

const WORKERS = 4
const MINIMUM_CALLS = 20

type Protection = 'none' | 'opossum' | 'busbar'

interface Counts {
  readonly calls: number
  readonly trials: number
}

interface PhaseResult extends Counts {
  readonly name: string
  readonly requests: number
  readonly good: number
  readonly failed: number
  readonly refused: number
  readonly firstGoodMs?: number
  readonly fullTrafficMs?: number
}

interface Front {
  readonly name: string
  readonly status: number
  readonly retryAfter: number
  readonly body: object
  readonly health: object
  readonly metrics: string
}

async function probe<T>(name: string, options: object): Promise<T> {
  const script = 'test/examples/gateway-probe.mjs'
  return JSON.parse(await runScript(script, [name, JSON.stringify(options)])) as T
}

/** Calls that reach a dependency that is dead from the start, until nothing gets through any more. */
function callsToTheDead(protection: Protection, concurrency: number): Promise<Counts> {
  // 40 refusals in a row: each of the 4 workers, who take turns, has refused about 10 times.
  return probe('dead', { protection, workers: WORKERS, concurrency, refusals: 40, requests: 400 })
}

describe('requests one at a time to a dead dependency', () => {
  test('with no breaker all of them reach it', async () => {
    expect(await callsToTheDead('none', 1)).toEqual({ calls: 400, trials: 0 })
  })

  test('with a breaker per worker the threshold reaches it once for each worker', async () => {
    expect(await callsToTheDead('opossum', 1)).toEqual({
      calls: WORKERS * MINIMUM_CALLS,
      trials: 0,
    })
  })

  test('with the shared breaker the threshold reaches it once', async () => {
    expect(await callsToTheDead('busbar', 1)).toEqual({ calls: MINIMUM_CALLS, trials: 0 })
  })
})

describe('eight requests at a time to a dead dependency', () => {
  const CONCURRENCY = 8

  test('with a breaker per worker the threshold reaches it at least once for each worker', async () => {
    const { calls } = await callsToTheDead('opossum', CONCURRENCY)
    expect(calls).toBeGreaterThanOrEqual(WORKERS * MINIMUM_CALLS)
  })

  test('with the shared breaker the threshold and the calls in flight reach it', async () => {
    // The outcome that makes the threshold full opens the breaker. The other requests may be in
    // flight then; and for each other thread that records in that very moment the opening may
    // come one outcome later (P4 of the specification).
    const inFlight = CONCURRENCY - 1
    const overlapping = WORKERS - 1
    const { calls } = await callsToTheDead('busbar', CONCURRENCY)
    expect(calls).toBeGreaterThanOrEqual(MINIMUM_CALLS)
    expect(calls).toBeLessThanOrEqual(MINIMUM_CALLS + inFlight + overlapping)
  })
})

describe('workers whose event loops stand still while idle (the default of Piscina)', () => {
  const recover = (protection: Protection) =>
    probe<{ open: number; answers: number[] }>('recover', {
      protection,
      workers: WORKERS,
      atomics: 'sync',
    })

  test('the shared breaker tries again when its wait is over', async () => {
    const { open, answers } = await recover('busbar')
    expect(open).toBe(503)
    expect(answers).toEqual(Array(2 * WORKERS).fill(200))
  })

  // Why the demo turns the default off, as gateway.mjs says.
  test("a breaker that waits by a timer doesn't", async () => {
    const { open, answers } = await recover('opossum')
    expect(open).toBe(503)
    expect(answers).toEqual(Array(2 * WORKERS).fill(503))
  })
})

test('the server in front answers a refusal with 503 and Retry-After, and shows the breaker', async () => {
  const { name, status, retryAfter, body, health, metrics } = await probe<Front>('front', {
    workers: 2,
  })
  expect(status).toBe(503)
  expect(retryAfter).toBeGreaterThan(50)
  expect(retryAfter).toBeLessThanOrEqual(60)
  expect(body).toMatchObject({ code: 'ERR_CIRCUIT_OPEN', message: expect.stringContaining(name) })
  expect(health).toMatchObject({ status: 'warn', breakers: [{ name, state: 'open' }] })
  expect(metrics).toMatch(/^circuit_breaker_refused_calls_total\{.*state="open".*\} 1$/m)
})

describe('the demo in short', () => {
  test.each<Protection>(['none', 'opossum', 'busbar'])('%s', async protection => {
    const phases = await probe<PhaseResult[]>('run', { protection })
    expect(phases.map(phase => phase.name)).toEqual(['healthy', 'slow', 'down', 'back'])
    for (const { requests, good, failed, refused, calls } of phases) {
      expect(good + failed + refused).toBe(requests)
      expect(calls).toBeGreaterThan(0)
    }

    const [healthy, , down, back] = phases as [PhaseResult, PhaseResult, PhaseResult, PhaseResult]
    expect(healthy.requests).toBe(30)
    expect(healthy.good).toBeGreaterThan(0)
    expect(down.good).toBe(0)
    expect(back.good).toBeGreaterThan(0)
    expect(back.firstGoodMs).toBeGreaterThan(0)
    expect(back.fullTrafficMs).toBeGreaterThanOrEqual(back.firstGoodMs ?? Number.NaN)
    const refuses = protection !== 'none'
    expect(down.refused > 0).toBe(refuses)
    expect(down.calls < down.requests).toBe(refuses)
    expect(back.trials > 0).toBe(refuses)
  })
})
