/**
 * The cases that need real threads: one worker for each thread of the case, driven one operation
 * at a time, but for races, in which all ask at once. The main thread watches.
 *
 * Where the translation departs from a case:
 * - TH-01 kills a thread and expects its trial to be written off when the lease ends. A thread
 *   whose exit has been seen gives its places back at once in busbar, so the replay stalls it for
 *   ever, and the test beside it kills it. The state is read at 6150: one call is tried first (see
 *   replay.test.ts).
 * - CK-03 fakes a thread's clock: busbar's manual clock cannot differ between threads, so the
 *   replay only starts the thread that late, and a test beside it compares real clocks.
 * - EV-02 ends its 800 calls one after the other, being data; the test beside it ends them at once.
 * - HO-05 and EV-02: "no exception" is any error in a worker, which fails its request.
 */
import { afterEach, expect, it } from 'vitest'
import { createRegistry, type Registry } from '../../src/index.ts'
import { TestThread, together } from '../model/threads.ts'
import { optionsOf, readCases } from './cases.ts'
import { type CallInFlight, type Face, recordOf } from './faces.ts'
import { replay } from './replay.ts'
import { WITH_THREADS } from './tables.ts'

class WorkerFace implements Face {
  readonly #registry: Registry
  readonly #threads = new Map<number, TestThread>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  async start(thread: number): Promise<CallInFlight | undefined> {
    await this.startThread(thread)
    return this.#inFlight(thread, this.#of(thread).ask('call', ['tryAcquire']) as number)
  }

  race(n: number, threads: number[]): CallInFlight[] {
    const times = n / threads.length
    const asked = threads.map(thread => this.#of(thread))
    const permits = together(asked, 'race', () => ({ times })) as number[][]
    return permits.flatMap((mine, index) =>
      mine.flatMap(permit => this.#inFlight(threads[index] ?? 0, permit) ?? []),
    )
  }

  async startThread(thread: number): Promise<void> {
    if (this.#threads.has(thread)) return
    const attachment = { handle: this.#registry.handle, name: 'case' }
    this.#threads.set(thread, await TestThread.start(attachment))
  }

  /** Nobody is told: the thread sleeps on, holding what it holds. */
  async kill(thread: number): Promise<void> {
    const stalled = this.#of(thread)
    this.#threads.delete(thread)
    started.push(stalled)
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#threads.values()].map(thread => thread.stop()))
  }

  #of(thread: number): TestThread {
    const started = this.#threads.get(thread)
    if (started === undefined) throw new Error(`no thread ${thread}`)
    return started
  }

  #inFlight(thread: number, permit: number): CallInFlight | undefined {
    if (permit === -1) return undefined
    return {
      end: async (outcome, durationMs) => {
        this.#of(thread).ask('call', [recordOf(outcome), permit, durationMs])
      },
    }
  }
}

const cases = readCases().filter(({ id }) => WITH_THREADS.includes(id))
const started: TestThread[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map(thread => thread.stop()))
})

for (const one of cases) {
  it(`${one.id}: ${one.title}`, async () => {
    let face: WorkerFace | undefined
    const racing = [...new Set(one.steps.flatMap(step => step.threads ?? []))]
    try {
      const made = (registry: Registry) => {
        face = new WorkerFace(registry)
        return face
      }
      await replay(one, (_breaker, registry) => made(registry), racing)
    } finally {
      await face?.stop()
    }
  })
}

it('EV-02: 800 failures of 8 threads at once make one transition', async () => {
  const [ev02] = cases.filter(({ id }) => id === 'EV-02')
  const registry = createRegistry({ clock: 'manual' })
  const breaker = registry.breaker('case', optionsOf(ev02?.config ?? {}))
  const attachment = { handle: registry.handle, name: 'case' }
  for (let left = 8; left > 0; left -= 1) started.push(await TestThread.start(attachment))
  const permits = together(started, 'race', () => ({ times: 100 })) as number[][]
  expect(permits.flat()).toHaveLength(800)
  together(started, 'settleAll', thread => ({ method: 'recordFailure', permits: permits[thread] }))
  const { state, transitions, totals, openedBy } = breaker.snapshot()
  expect({ state, transitions }).toEqual({ state: 'open', transitions: 1 })
  expect(totals.failed + totals.late).toBe(800)
  // P4: where records overlap, at most one more outcome for each overlapping recorder.
  expect(totals.failed).toBeGreaterThanOrEqual(100)
  expect(totals.failed).toBeLessThanOrEqual(107)
  expect(openedBy?.failures).toBe(100)
  registry.close()
})

it('TH-01: a thread seen to have ended gives its trial back at once', async () => {
  const [th01] = cases.filter(({ id }) => id === 'TH-01')
  const registry = createRegistry({ clock: 'manual' })
  const breaker = registry.breaker('case', optionsOf(th01?.config ?? {}))
  const doomed = await TestThread.start({ handle: registry.handle, name: 'case' })
  for (let left = 4; left > 0; left -= 1) breaker.recordFailure(breaker.tryAcquire())
  registry.advance(1_100)
  expect(doomed.ask('call', ['tryAcquire'])).not.toBe(-1)
  expect(breaker.tryAcquire()).toBe(-1)
  await doomed.stop()
  const trial = breaker.tryAcquire()
  expect(trial).not.toBe(-1)
  breaker.recordSuccess(trial)
  expect(breaker.snapshot()).toMatchObject({
    state: 'closed',
    totals: { admitted: 6, succeeded: 1, failed: 4, abandoned: 1, inFlight: 0 },
  })
  registry.close()
})

it('CK-03: a thread born later reads the same time', async () => {
  const registry = createRegistry()
  const thread = await TestThread.start({ handle: registry.handle, name: 'case' })
  started.push(thread)
  for (let round = 0; round < 100; round += 1) {
    const before = registry.now()
    const there = thread.ask('now')
    // Time origins of threads are equal up to the rounding of one clock reading.
    expect(there).toBeGreaterThanOrEqual(before - 1)
    expect(there).toBeLessThanOrEqual(registry.now() + 1)
  }
  registry.close()
})
