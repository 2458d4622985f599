/** Workers that die: with trials, with calls in flight, in the midst of anything (P2, P3, P6, P9). */
import { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { describe, expect, it } from 'vitest'
import { createRegistry, REFUSED, type Registry } from '../../src/index.ts'
import { baseSeed } from '../model/random.ts'
import { start, together, until } from './crew.ts'

const threadsOf = (registry: Registry): number => registry.snapshot().threads

describe('a worker that is terminated', () => {
  it('while it holds a trial gives the place back when its death is known', async () => {
    using registry = createRegistry({ clock: 'manual' })
    const breaker = registry.breaker('b', {
      waitDurationInOpenStateMs: 100,
      permittedNumberOfCallsInHalfOpenState: 1,
    })
    breaker.open()
    registry.advance(100)
    const holder = start<number[]>(registry, 'take', { breaker: 'b', permits: 1 })
    expect((await holder.result)[0]).toBeGreaterThan(0)
    expect(breaker.state).toBe('half-open')
    expect(breaker.tryAcquire()).toBe(REFUSED)
    await holder.worker.terminate()
    await until(() => breaker.canExecute())
    const trial = breaker.tryAcquire()
    breaker.recordSuccess(trial)
    expect(breaker.state).toBe('closed')
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 2, abandoned: 1, inFlight: 0 })
  })

  it('while it holds a trial is outlived by its lease where nobody sees the death', async () => {
    using registry = createRegistry({ clock: 'manual' })
    const breaker = registry.breaker('b', {
      waitDurationInOpenStateMs: 100,
      permittedNumberOfCallsInHalfOpenState: 1,
      trialTimeoutMs: 5000,
    })
    breaker.open()
    registry.advance(100)
    const holder = start<number[]>(registry, 'take', { breaker: 'b', permits: 1 })
    await holder.result
    // The holder lives on, and says nothing: to the others that is the same.
    registry.advance(4999)
    expect(breaker.tryAcquire()).toBe(REFUSED)
    expect(breaker.state).toBe('half-open')
    registry.advance(1)
    expect(breaker.tryAcquire()).toBe(REFUSED)
    expect(breaker.snapshot()).toMatchObject({ state: 'open', since: 5100, retryAfterMs: 100 })
    registry.advance(100)
    breaker.recordSuccess(breaker.tryAcquire())
    expect(breaker.state).toBe('closed')
  })

  it('turns its calls in flight into abandoned ones', async () => {
    using registry = createRegistry()
    const breaker = registry.breaker('b')
    const holder = start<number[]>(registry, 'take', { breaker: 'b', permits: 7 })
    await holder.result
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 7, inFlight: 7, abandoned: 0 })
    await holder.worker.terminate()
    await until(() => breaker.snapshot().totals.abandoned === 7)
    expect(breaker.snapshot().totals).toMatchObject({ admitted: 7, inFlight: 0 })
    expect(threadsOf(registry)).toBe(1)
  })

  it('in the midst of a blocked loop frees its slot like any other', async () => {
    using registry = createRegistry()
    registry.breaker('b')
    const blocked = start<number>(registry, 'block', { breaker: 'b' })
    await blocked.result
    expect(threadsOf(registry)).toBe(2)
    await blocked.worker.terminate()
    await until(() => threadsOf(registry) === 1)
  })

  it('at any moment of attaching, making and closing leaves nothing taken', async () => {
    const maxThreads = 4
    // A third of the hammered calls fail: nothing is to open, or they would wait until it closes.
    const defaults = { failureRateThreshold: 1 }
    using registry = createRegistry({ maxThreads, maxBreakers: 8, defaults })
    const seed = baseSeed('churn')
    let x = seed | 1
    for (let life = 0; life < 60; life++) {
      const churn = start(registry, 'churn', {})
      x = (Math.imul(x, 1103515245) + 12345) | 0
      const turns = (x >>> 16) % 60
      await new Promise(resolve => churn.worker.once('online', resolve))
      for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
      await churn.worker.terminate()
    }
    await until(() => threadsOf(registry) === 1)
    // Every slot can be had again, and every breaker works.
    const crew = await together<number>(registry, maxThreads - 1, 'hammer', {
      breaker: 'churn-0',
      outcomes: 1000,
      seed,
    })
    expect(crew).toHaveLength(maxThreads - 1)
    await until(() => threadsOf(registry) === 1)
    for (const { name, totals } of registry.snapshot().breakers) {
      expect(totals.inFlight, `${name}, seed ${seed}`).toBe(
        totals.admitted -
          totals.succeeded -
          totals.failed -
          totals.ignored -
          totals.late -
          totals.abandoned,
      )
    }
  })
})

describe('a pool that is respawned 500 times', () => {
  it('never runs out of slots and loses no outcome', { timeout: 120_000 }, async () => {
    const maxThreads = 6
    using registry = createRegistry({ maxThreads })
    const breaker = registry.breaker('b')
    const lives = 500
    const calls = 20
    let next = 0
    let most = 0
    const respawn = async (): Promise<void> => {
      while (next < lives) {
        next++
        const visitor = start<number>(registry, 'visit', { breaker: 'b', calls })
        await visitor.result
        await visitor.exited
        most = Math.max(most, threadsOf(registry))
      }
    }
    await Promise.all([respawn(), respawn(), respawn(), respawn()])
    await until(() => threadsOf(registry) === 1)
    expect(most).toBeLessThanOrEqual(maxThreads)
    expect(breaker.snapshot().totals).toMatchObject({
      admitted: lives * calls,
      succeeded: lives * calls,
      inFlight: 0,
      abandoned: 0,
    })
  })
})

describe('nested workers', () => {
  it('die with the worker that started them, and their slots with them', async () => {
    using registry = createRegistry()
    registry.breaker('b')
    const nest = new Worker(new URL('nest.mjs', import.meta.url), {
      workerData: { handle: registry.handle, depth: 3 },
    })
    await until(() => threadsOf(registry) === 4)
    await nest.terminate()
    await until(() => threadsOf(registry) === 1)
  })
})

describe('a Piscina pool', () => {
  it('gives its slots back when it is destroyed', async () => {
    using registry = createRegistry()
    registry.breaker('b')
    const pool = new Piscina({
      filename: new URL('pooled.mjs', import.meta.url).href,
      workerData: { handle: registry.handle },
      minThreads: 3,
      maxThreads: 3,
    })
    await Promise.all(Array.from({ length: 30 }, () => pool.run({ calls: 10 }, { name: 'work' })))
    expect(threadsOf(registry)).toBe(4)
    await pool.destroy()
    await until(() => threadsOf(registry) === 1)
    expect(registry.breaker('b').snapshot().totals).toMatchObject({ admitted: 300, inFlight: 0 })
  })
})
