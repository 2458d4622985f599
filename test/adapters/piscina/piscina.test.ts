/** Pools of piscina itself: their workers' breakers, and what is left of workers that go. */
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { describe, expect, it, onTestFinished } from 'vitest'
import { poolData, poolRegistry } from '../../../src/adapters/piscina.ts'
import {
  type BreakerOptions,
  type CircuitBreaker,
  createRegistry,
  NoRegistryError,
  type Registry,
} from '../../../src/index.ts'

const WORKER_DATA = { given: 'data of its own' }
const filename = new URL('worker.mjs', import.meta.url).href

interface Made {
  readonly registry: Registry
  readonly breaker: CircuitBreaker
  readonly pool: Piscina
}

type PoolOptions = NonNullable<ConstructorParameters<typeof Piscina>[0]>

function make(pool: PoolOptions): Made {
  const registry = createRegistry({ maxBreakers: 4, maxThreads: 4, clock: 'manual' })
  const options: BreakerOptions = {
    slidingWindow: { type: 'consecutive', failures: 4 },
    waitDurationInOpenStateMs: 1_000,
    permittedNumberOfCallsInHalfOpenState: 1,
  }
  const breaker = registry.breaker('b', options)
  const made = new Piscina({
    filename,
    name: 'run',
    maxThreads: 2,
    workerData: { ...WORKER_DATA, ...poolData(registry) },
    ...pool,
  })
  onTestFinished(async () => {
    await made.destroy()
    registry.close()
  })
  return { registry, breaker, pool: made }
}

interface Started {
  readonly threadId: number
  /** The task's end, which is an error. */
  readonly ended: Promise<unknown>
  /** The worker's end. */
  readonly exited: Promise<unknown>
  abort(): void
}

/** A task in a worker of its own; resolves once it has begun. */
async function start(
  { pool }: Made,
  job: 'hang' | 'spin' | 'exit' | 'throw' | 'eat',
): Promise<Started> {
  const { port1, port2 } = new MessageChannel()
  const controller = new AbortController()
  const { signal } = controller
  const others = new Set(pool.threads)
  const task = { job, started: port2 }
  const ended = pool.run(task, { signal, transferList: [port2 as never] }).catch(error => error)
  const worker = (pool.threads.find(thread => !others.has(thread)) ?? pool.threads[0]) as Worker
  const { threadId } = worker
  const exited = exitOf(worker)
  await once(port1 as never, 'message')
  port1.close()
  return { threadId, ended, exited, abort: () => controller.abort() }
}

function exitOf(worker: Worker): Promise<unknown> {
  return new Promise(resolve => worker.once('exit', resolve))
}

/** The threads that hold a slot. */
function holders({ registry }: Made): number[] {
  return registry.snapshot().slots.map(({ thread }) => thread)
}

function inFlight({ breaker }: Made): { abandoned: number; inFlight: number } {
  const { abandoned, inFlight } = breaker.snapshot().totals
  return { abandoned, inFlight }
}

describe('the workers of a pool', () => {
  it('share their breakers with each other and with who made the pool', async () => {
    const made = make({ minThreads: 2 })
    const { pool, breaker, registry } = made
    const results = await Promise.all(Array.from({ length: 6 }, () => pool.run({ job: 'fail' })))
    expect(new Set(results.map(({ thread }) => thread)).size).toBe(2)
    for (const result of results) {
      expect(result).toMatchObject({ ...WORKER_DATA, ok: false, isSame: true })
    }
    expect(breaker.state).toBe('open')
    const { admitted, failed, refused } = breaker.snapshot().totals
    expect(failed).toBe(admitted)
    expect(failed + refused).toBe(6)
    expect(failed).toBeGreaterThanOrEqual(4)
    expect(holders(made)).toHaveLength(3)
    // A worker that waits for its next task in Atomics.wait learns of this when it gets one.
    breaker.reset()
    expect(await pool.run({ job: 'look' })).toMatchObject({ state: 'closed' })
    expect(registry.snapshot().threadsWithoutSlot).toBe(0)
  })
})

describe('a worker that goes', () => {
  // TH-01
  it.each(['hang', 'spin'] as const)('with an aborted task that does %s', async job => {
    const made = make({ maxThreads: 1 })
    const { threadId, ended, exited, abort } = await start(made, job)
    expect(holders(made)).toContain(threadId)
    expect(inFlight(made)).toEqual({ abandoned: 0, inFlight: 1 })
    abort()
    await exited
    expect(await ended).toMatchObject({ name: 'AbortError' })
    expect(holders(made)).not.toContain(threadId)
    expect(inFlight(made)).toEqual({ abandoned: 1, inFlight: 0 })
  })

  it.each(['exit', 'throw'] as const)('by its own %s', async job => {
    const made = make({ maxThreads: 1 })
    const { threadId, ended, exited } = await start(made, job)
    await exited
    expect(await ended).toBeInstanceOf(Error)
    expect(holders(made)).not.toContain(threadId)
    expect(inFlight(made)).toEqual({ abandoned: 1, inFlight: 0 })
  })

  it('for want of memory', async () => {
    const made = make({ maxThreads: 1, resourceLimits: { maxOldGenerationSizeMb: 16 } })
    const { threadId, ended, exited } = await start(made, 'eat')
    await exited
    expect(await ended).toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' })
    expect(holders(made)).not.toContain(threadId)
    expect(inFlight(made)).toEqual({ abandoned: 1, inFlight: 0 })
  })

  it('because it was idle, again and again, takes no slot with it', async () => {
    const made = make({ minThreads: 0, maxThreads: 1, idleTimeout: 0 })
    const threads = new Set<number>()
    // More than the registry has slots.
    for (let round = 0; round < 5; round++) {
      const { thread } = await made.pool.run({ job: 'look' })
      threads.add(thread)
      const [worker] = made.pool.threads
      if (worker !== undefined) await exitOf(worker)
      expect(holders(made)).toHaveLength(1)
    }
    expect(threads.size).toBe(5)
    expect(made.registry.snapshot()).toMatchObject({ threads: 1, threadsWithoutSlot: 0 })
  })

  it('with its pool', async () => {
    const made = make({ minThreads: 2 })
    const { ended } = await start(made, 'hang')
    await start(made, 'spin')
    expect(holders(made)).toHaveLength(3)
    expect(inFlight(made)).toEqual({ abandoned: 0, inFlight: 2 })
    await made.pool.destroy()
    expect(await ended).toBeInstanceOf(Error)
    expect(holders(made)).toHaveLength(1)
    expect(inFlight(made)).toEqual({ abandoned: 2, inFlight: 0 })
  })

  // HO-14
  it('in a trial gives its place to the next caller', async () => {
    const made = make({ maxThreads: 1 })
    const { breaker, registry } = made
    breaker.open()
    registry.advance(1_000)
    const { exited, abort } = await start(made, 'hang')
    expect(breaker.state).toBe('half-open')
    expect(breaker.canExecute()).toBe(false)
    abort()
    await exited
    expect(breaker.canExecute()).toBe(true)
    expect(await breaker.execute(async () => 'well')).toBe('well')
    expect(breaker.state).toBe('closed')
  })
})

it('a registry that is closed is given to nobody, and only such workers have one', () => {
  const registry = createRegistry({ clock: 'manual' })
  expect(poolData(registry)).toEqual({ busbar: registry.handle })
  registry.close()
  expect(() => poolData(registry)).toThrow(NoRegistryError)
  expect(poolRegistry).toThrow(NoRegistryError)
})
