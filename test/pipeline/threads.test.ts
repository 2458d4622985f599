/** One pipeline in several threads: its parts are one for all of them, also when one dies. */
import { describe, expect, it } from 'vitest'
import { createRegistry, type PipelineOptions, type Registry } from '../../src/index.ts'
import { baseSeed, Random } from '../model/random.ts'
import { closedGate, start, until } from '../threads/crew.ts'
import { failing, fine } from './support.ts'

const WORKER = new URL('worker.mjs', import.meta.url)
const THREADS = 2

/** Every part, of which only the bulkhead ever refuses. */
const LENIENT: PipelineOptions = {
  throttle: { minimumRequestsPerSecond: 1_000_000 },
  bulkhead: { maxConcurrentCalls: 3 },
  breaker: { minimumNumberOfCalls: 1_000_000 },
}

function startJob<T>(registry: Registry, job: string, args: object, gate = closedGate()) {
  return start<T>(registry, job, args, 0, gate, WORKER)
}

/** Runs a job in two threads, which begin it at the same moment. */
async function together<T>(registry: Registry, job: string, args: object): Promise<T[]> {
  const gate = closedGate()
  const members = Array.from({ length: THREADS }, () => startJob<T>(registry, job, args, gate))
  await until(() => Atomics.load(gate, 1) === THREADS)
  Atomics.store(gate, 0, 1)
  return Promise.all(members.map(({ result }) => result))
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

it("the bulkhead's limit is that of both threads together", async () => {
  using registry = createRegistry()
  const pipeline = registry.pipeline('p', LENIENT)
  const args = { parts: LENIENT, inFlight: new SharedArrayBuffer(4), rounds: 500, calls: 5 }
  interface Crowd {
    readonly done: number
    readonly refused: number
    readonly most: number
  }
  const crowds = await together<Crowd>(registry, 'crowd', args)
  for (const { done, refused, most } of crowds) {
    expect(most).toBeLessThanOrEqual(3)
    expect(done + refused).toBe(2500)
    // Five at once, of which no more than three can be let through.
    expect(refused).toBeGreaterThanOrEqual(1000)
  }
  const done = sum(crowds.map(crowd => crowd.done))
  const { throttle, bulkhead, breaker } = pipeline.snapshot()
  expect(throttle?.totals).toMatchObject({ admitted: 5000, accepted: done, ignored: 5000 - done })
  expect(bulkhead).toMatchObject({ inFlight: 0, totals: { admitted: done, completed: done } })
  expect(bulkhead?.totals.refused).toBe(5000 - done)
  expect(breaker?.totals).toMatchObject({ admitted: done, succeeded: done, inFlight: 0 })
})

it("one thread's failures open the breaker of all others", async () => {
  using registry = createRegistry({ clock: 'manual' })
  const parts: PipelineOptions = {
    ...LENIENT,
    breaker: { slidingWindow: { type: 'consecutive', failures: 5 } },
  }
  const pipeline = registry.pipeline('p', parts)
  expect(await startJob<string>(registry, 'ask', { parts }).result).toBe('made')
  const failed = await startJob<object>(registry, 'failUntilRefused', { parts }).result
  expect(failed).toEqual({ failed: 5, code: 'ERR_CIRCUIT_OPEN' })
  expect(await startJob<string>(registry, 'ask', { parts }).result).toBe('ERR_CIRCUIT_OPEN')
  expect(await pipeline.tryExecute(fine)).toMatchObject({ ok: false, refused: true })
  const { throttle, bulkhead, breaker } = pipeline.snapshot()
  expect(breaker?.totals).toMatchObject({ admitted: 6, succeeded: 1, failed: 5, refused: 3 })
  // Refusals of the breaker are no verdict for the others.
  expect(throttle?.totals).toMatchObject({ accepted: 1, rejected: 5, ignored: 3, inFlight: 0 })
  expect(bulkhead).toMatchObject({ inFlight: 0, totals: { admitted: 9, completed: 9 } })
})

it('the budget bounds the retries of both threads together, and gives out every one', async () => {
  // Time stands still, so that the window holds all of it.
  using registry = createRegistry({ clock: 'manual' })
  const calls = 50
  const budget = { ratio: 0.2, minimumPerSecond: 1 }
  const parts = { retry: { attempts: 100, backoff: { initialMs: 0 }, budget } }
  const pipeline = registry.pipeline('p', parts)
  const made = sum(await together<number>(registry, 'failOften', { parts, calls }))
  const limit = 10 + 0.2 * THREADS * calls
  expect(made).toBeGreaterThanOrEqual(THREADS * calls + 10)
  expect(made).toBeLessThanOrEqual(THREADS * calls + limit)
  expect(pipeline.retryBudget?.snapshot().window).toEqual({
    calls: THREADS * calls,
    retries: made - THREADS * calls,
    allowed: limit,
  })
  // What they left is there for this thread: with its own call it makes a fifth of a retry more.
  let mine = 0
  const counted = (): Promise<string> => {
    mine++
    return failing()
  }
  await expect(pipeline.execute(counted)).rejects.toThrow('down')
  expect(made + mine).toBe(THREADS * calls + limit + 1)
})

describe('a thread that is terminated', () => {
  it('in the midst of calls gives back what it held of every part', async () => {
    using registry = createRegistry()
    const bulkhead = { maxConcurrentCalls: 3, maxQueuedCalls: 2, maxWaitMs: 60_000 }
    const parts: PipelineOptions = { ...LENIENT, bulkhead, timeoutMs: 60_000 }
    const pipeline = registry.pipeline('p', parts)
    const holder = startJob<object>(registry, 'hold', { parts, calls: 5 })
    expect(await holder.result).toMatchObject({
      throttle: { totals: { admitted: 5, inFlight: 5 } },
      bulkhead: { inFlight: 3, queued: 2, totals: { admitted: 3, inFlight: 3 } },
      breaker: { totals: { admitted: 3, inFlight: 3 } },
    })
    expect(await startJob<string>(registry, 'ask', { parts }).result).toBe('ERR_BULKHEAD_FULL')
    await holder.worker.terminate()
    await until(() => pipeline.snapshot().bulkhead?.queued === 0)
    await until(() => pipeline.snapshot().breaker?.totals.inFlight === 0)
    expect(await startJob<string>(registry, 'ask', { parts }).result).toBe('made')
    expect(pipeline.snapshot()).toMatchObject({
      throttle: {
        window: { requests: 1, accepts: 1 },
        totals: { admitted: 7, accepted: 1, ignored: 1, rejected: 0, abandoned: 5, inFlight: 0 },
      },
      bulkhead: {
        inFlight: 0,
        queued: 0,
        totals: { admitted: 4, completed: 1, refused: 1, abandoned: 3, inFlight: 0 },
      },
      breaker: {
        state: 'closed',
        totals: { admitted: 4, succeeded: 1, failed: 0, abandoned: 3, inFlight: 0 },
      },
    })
  })

  it('at any moment of a call leaves nothing taken in any part', async () => {
    using registry = createRegistry()
    const bulkhead = { maxConcurrentCalls: 3, maxQueuedCalls: 2, maxWaitMs: 60_000 }
    const parts: PipelineOptions = { ...LENIENT, bulkhead }
    const pipeline = registry.pipeline('p', parts)
    const seed = baseSeed('pipeline churn')
    const random = new Random(seed)
    const live = async (): Promise<void> => {
      for (let life = 0; life < 8; life++) {
        const churn = startJob<boolean>(registry, 'churn', { parts })
        await churn.result
        for (let turns = random.between(0, 40); turns > 0; turns--) await new Promise(setImmediate)
        await churn.worker.terminate()
      }
    }
    await Promise.all([live(), live(), live()])
    const held = (): number => {
      const { throttle, bulkhead, breaker } = pipeline.snapshot()
      const inFlight = [throttle, bulkhead, breaker].map(part => part?.totals.inFlight ?? 1)
      return sum(inFlight) + (bulkhead?.inFlight ?? 1) + (bulkhead?.queued ?? 1)
    }
    await until(() => held() === 0)
    // All three places can be had again, and no more than those.
    const ends: (() => void)[] = []
    const waits = () => new Promise<void>(resolve => ends.push(resolve))
    const calls = [0, 1, 2].map(() => pipeline.execute(waits))
    expect(ends, `seed ${seed}`).toHaveLength(3)
    for (const end of ends) end()
    await Promise.all(calls)
    expect(held(), `seed ${seed}`).toBe(0)
  })
})
