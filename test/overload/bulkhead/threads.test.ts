/** One bulkhead in several threads: the limits, the dead, the blocked, and who goes first. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createRegistry, REFUSED, type Registry } from '../../../src/index.ts'
import { runScript } from '../../examples/run-example.ts'
import { baseSeed, Random } from '../../model/random.ts'
import { closedGate, start, until } from '../../threads/crew.ts'

const WORKER = new URL('worker.mjs', import.meta.url)
const THREADS = 4

function startJob<T>(registry: Registry, job: string, args: object, gate = closedGate()) {
  return start<T>(registry, job, args, 0, gate, WORKER)
}

function open(gate: Int32Array<SharedArrayBuffer>): void {
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
}

/** Runs a job in all threads, which begin it at the same moment. */
async function together<T>(registry: Registry, job: string, args: object): Promise<T[]> {
  const gate = closedGate()
  const members = Array.from({ length: THREADS }, () => startJob<T>(registry, job, args, gate))
  await until(() => Atomics.load(gate, 1) === THREADS)
  open(gate)
  return Promise.all(members.map(({ result }) => result))
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

describe('four threads', () => {
  interface Hammered {
    readonly admitted: number
    readonly refused: number
    readonly most: number
  }

  it.each([1, 3, 17])('that hammer are never more than %d in flight', async limit => {
    using registry = createRegistry()
    const bulkhead = registry.bulkhead('b', { maxConcurrentCalls: limit })
    const turns = 100_000
    const inFlight = new SharedArrayBuffer(4)
    const results = await together<Hammered>(registry, 'hammer', { inFlight, turns })
    for (const { most } of results) expect(most).toBeLessThanOrEqual(limit)
    const { inFlight: left, totals } = bulkhead.snapshot()
    expect(left).toBe(0)
    expect(totals).toMatchObject({
      admitted: sum(results.map(({ admitted }) => admitted)),
      completed: totals.admitted,
      refused: sum(results.map(({ refused }) => refused)),
      inFlight: 0,
    })
    expect(totals.admitted + totals.refused).toBe(THREADS * turns)
    expect(totals.late).toBeGreaterThan(0)
  })

  interface Crowd {
    readonly done: number
    readonly refused: number
    readonly most: number
  }

  it('whose calls wait make all of them, a few at a time', async () => {
    using registry = createRegistry()
    const limits = { maxConcurrentCalls: 3, maxQueuedCalls: 4000, maxWaitMs: 60_000 }
    const bulkhead = registry.bulkhead('b', limits)
    const args = { inFlight: new SharedArrayBuffer(4), calls: 400 }
    const results = await together<Crowd>(registry, 'crowd', args)
    for (const { done, most } of results) {
      expect(done).toBe(args.calls)
      expect(most).toBeLessThanOrEqual(3)
    }
    expect(bulkhead.snapshot()).toMatchObject({
      inFlight: 0,
      queued: 0,
      totals: { admitted: THREADS * args.calls, completed: THREADS * args.calls, refused: 0 },
    })
  })

  it('have as many calls waiting as the queue has places, and not one more', async () => {
    using registry = createRegistry()
    const limits = { maxConcurrentCalls: 1, maxQueuedCalls: 7, maxWaitMs: 60_000 }
    const bulkhead = registry.bulkhead('b', limits)
    const permit = bulkhead.tryAcquire()
    const gate = closedGate()
    const args = { inFlight: new SharedArrayBuffer(4), calls: 10 }
    const members = Array.from({ length: THREADS }, () =>
      startJob<Crowd>(registry, 'crowd', args, gate),
    )
    await until(() => Atomics.load(gate, 1) === THREADS)
    open(gate)
    await until(() => bulkhead.snapshot().totals.refused === 33)
    expect(bulkhead.snapshot()).toMatchObject({ inFlight: 1, queued: 7 })
    bulkhead.release(permit)
    const results = await Promise.all(members.map(({ result }) => result))
    expect(sum(results.map(({ done }) => done))).toBe(7)
    expect(bulkhead.snapshot()).toMatchObject({
      inFlight: 0,
      queued: 0,
      totals: { admitted: 8, refused: 33 },
    })
  })
})

describe('a thread that is terminated', () => {
  it('gives back its places in flight and in the queue, and waiters elsewhere get them', async () => {
    using registry = createRegistry()
    const limits = { maxConcurrentCalls: 3, maxQueuedCalls: 4, maxWaitMs: 60_000 }
    const bulkhead = registry.bulkhead('b', limits)
    const holder = startJob<object>(registry, 'hold', { permits: 3, waiters: 3 })
    expect(await holder.result).toMatchObject({ inFlight: 3, queued: 3 })
    const waiting = bulkhead.acquire()
    await expect(bulkhead.acquire()).rejects.toMatchObject({ code: 'ERR_BULKHEAD_FULL' })
    await holder.worker.terminate()
    bulkhead.release(await waiting)
    await until(() => bulkhead.snapshot().queued === 0)
    expect(bulkhead.snapshot()).toMatchObject({
      inFlight: 0,
      queued: 0,
      totals: { admitted: 4, completed: 1, abandoned: 3, refused: 1, inFlight: 0 },
    })
  })

  it('at any moment of taking, waiting and freeing leaves nothing taken', async () => {
    using registry = createRegistry({ maxThreads: 4 })
    const limits = { maxConcurrentCalls: 4, maxQueuedCalls: 5, maxWaitMs: 60_000 }
    const bulkhead = registry.bulkhead('b', limits)
    const seed = baseSeed('bulkhead churn')
    const random = new Random(seed)
    const live = async (): Promise<void> => {
      for (let life = 0; life < 12; life++) {
        const churn = startJob<boolean>(registry, 'churn', {})
        await churn.result
        for (let turns = random.between(0, 40); turns > 0; turns--) await new Promise(setImmediate)
        const { inFlight, queued } = bulkhead.snapshot()
        expect(inFlight, `seed ${seed}`).toBeLessThanOrEqual(4)
        expect(queued, `seed ${seed}`).toBeLessThanOrEqual(5)
        await churn.worker.terminate()
      }
    }
    // More threads than slots.
    await Promise.all([live(), live(), live(), live(), live()])
    await until(() => bulkhead.snapshot().inFlight === 0 && bulkhead.snapshot().queued === 0)
    const permits = Array.from({ length: 4 }, () => bulkhead.tryAcquire())
    expect(permits).not.toContain(REFUSED)
    expect(bulkhead.tryAcquire()).toBe(REFUSED)
    for (const permit of permits) bulkhead.release(permit)
  })
})

describe('a call that waits in another thread', () => {
  const limits = { maxConcurrentCalls: 1, maxQueuedCalls: 1, maxWaitMs: 60_000 }

  it('gets the place that is freed and asked for again at once, 20 ms after it came', async () => {
    // Time stands still but for what is said here; that the other thread is woken is real.
    using registry = createRegistry({ clock: 'manual' })
    const bulkhead = registry.bulkhead('b', limits)
    const gate = closedGate()
    const rounds = 20
    startJob<boolean>(registry, 'visit', { rounds }, gate)
    for (let round = 0; round < rounds; round++) {
      const permit = bulkhead.tryAcquire()
      expect(permit).not.toBe(REFUSED)
      Atomics.add(gate, 0, 1)
      await until(() => Atomics.load(gate, 1) === 2 * round + 1)
      registry.advance(21)
      bulkhead.release(permit)
      expect(bulkhead.tryAcquire()).toBe(REFUSED)
      await until(() => Atomics.load(gate, 1) === 2 * round + 2)
      Atomics.add(gate, 0, 1)
      await until(() => bulkhead.snapshot().inFlight === 0)
    }
  })

  it('costs the others 5 ms in 100 while its loop is blocked, and is served after that', async () => {
    using registry = createRegistry({ clock: 'manual' })
    const bulkhead = registry.bulkhead('b', limits)
    const permit = bulkhead.tryAcquire()
    const gate = closedGate()
    const blocked = startJob<boolean>(registry, 'block', {}, gate)
    await blocked.result
    await until(() => Atomics.load(gate, 1) === 1)
    registry.advance(50)
    bulkhead.release(permit)
    const refusedAt: number[] = []
    for (let ms = 0; ms < 1000; ms++) {
      const next = bulkhead.tryAcquire()
      if (next === REFUSED) refusedAt.push(ms)
      bulkhead.release(next)
      registry.advance(1)
    }
    expect(refusedAt).toEqual(
      Array.from({ length: 1000 }, (_, ms) => ms).filter(ms => ms % 100 < 5),
    )
    const served = once(blocked.worker, 'message')
    open(gate)
    expect(await served).toEqual([{ result: 'served' }])
  })

  it('is let in beside threads that never let go of the place for long', async () => {
    using registry = createRegistry()
    const bulkhead = registry.bulkhead('b', { ...limits, maxWaitMs: 10_000 })
    const gate = closedGate()
    const args = { holdMs: 1, limitMs: 20_000 }
    const hogs = [0, 1].map(() => startJob<boolean>(registry, 'hog', args, gate))
    await Promise.all(hogs.map(({ result }) => result))
    for (let round = 0; round < 20; round++) {
      await until(() => bulkhead.snapshot().inFlight === 1)
      bulkhead.release(await bulkhead.acquire())
    }
    open(gate)
    await Promise.all(hogs.map(({ worker }) => once(worker, 'message')))
  })
})

describe('a process whose only work is a call that waits', () => {
  it('stays until the wait is over', async () => {
    const path = fileURLToPath(new URL('alive.mjs', import.meta.url))
    expect(await runScript(path)).toBe('ERR_BULKHEAD_FULL\n')
  })
})
