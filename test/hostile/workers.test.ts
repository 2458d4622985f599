/**
 * Three workers call while this thread overwrites words of every class, as fast as it can. The words
 * and their order follow from the seed that is printed; how they meet the calls does not.
 */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { baseSeed, Random } from '../model/random.ts'
import { BREAKERS, damagedValue, type Hostile, makeHostile } from './words.ts'

const WORKERS = 3
const RUN_MS = 2000
/** A thread that makes no call for so long hangs; the machine may be busy. */
const WATCHDOG_MS = 5000

interface Answer {
  readonly calls: number
  readonly refused: number
  readonly warnings: number
  readonly errors: readonly [string, number][]
}

async function startWorkers(hostile: Hostile, control: Int32Array, seed: number) {
  const workers = Array.from({ length: WORKERS }, (_, index) => {
    const workerData = {
      handle: hostile.registry.handle,
      names: Object.keys(BREAKERS),
      control: control.buffer,
      index,
      seed,
    }
    return new Worker(new URL('worker.mjs', import.meta.url), { workerData })
  })
  onTestFinished(async () => {
    await Promise.all(workers.map(worker => worker.terminate()))
  })
  await Promise.all(workers.map(worker => once(worker, 'message')))
  return workers
}

/** Says which threads have made no call since the last look that saw them move. */
function watchdogOf(control: Int32Array): () => number[] {
  const seen = Array.from({ length: WORKERS }, () => ({ calls: -1, at: performance.now() }))
  return () => {
    const now = performance.now()
    seen.forEach((look, index) => {
      const calls = Atomics.load(control, 1 + index)
      if (calls === look.calls) return
      look.calls = calls
      look.at = now
    })
    return seen.flatMap((look, index) => (now - look.at > WATCHDOG_MS ? [index] : []))
  }
}

it.each(['manual', 'monotonic'] as const)(
  '3 workers on a region that is overwritten: none hangs, no call throws (%s clock)',
  async clock => {
    const seed = baseSeed(`hostile, ${WORKERS} workers, ${clock}`)
    const random = new Random(seed)
    const threads: Worker[] = []
    process.on('worker', worker => threads.push(worker))
    const hostile = makeHostile(clock, WORKERS)
    const control = new Int32Array(new SharedArrayBuffer(4 * (1 + WORKERS)))
    const workers = await startWorkers(hostile, control, seed)
    const keepers = threads.filter(thread => !workers.includes(thread))
    expect(keepers).toHaveLength(clock === 'manual' ? 0 : 1)
    const hung = watchdogOf(control)
    const end = performance.now() + RUN_MS
    let overwritten = 0
    while (performance.now() < end) {
      for (let word = 0; word < 5; word++) {
        const { from, length } = random.pick(hostile.classes)
        const at = from + random.between(0, length - 1)
        Atomics.store(hostile.memory, at, damagedValue(random, hostile.memory, at))
        overwritten++
      }
      if (clock === 'manual') hostile.registry.advance(random.pick([1, 50, 1000]))
      expect(hung(), `threads that make no call any more, seed ${seed}`).toEqual([])
      await delay(1)
    }
    const answers = workers.map(worker => once(worker, 'message'))
    Atomics.store(control, 0, 1)
    const limit = delay(WATCHDOG_MS, 'hangs', { ref: false })
    const results = await Promise.race([Promise.all(answers), limit])
    expect(results, `seed ${seed}`).not.toBe('hangs')
    for (const [{ calls, refused, warnings, errors }] of results as [Answer][]) {
      expect(errors, `seed ${seed}`).toEqual([])
      expect(calls).toBeGreaterThan(1000)
      expect(refused).toBeLessThan(calls)
      expect(warnings, `seed ${seed}`).toBeLessThanOrEqual(1)
    }
    expect(overwritten).toBeGreaterThan(1000)
    // Whatever was done to it, it ends when it should, if it has not before.
    const ends = keepers.map(keeper => keeper.threadId < 0 || once(keeper, 'exit'))
    hostile.registry.close()
    const ended = await Promise.race([
      Promise.all(ends),
      delay(WATCHDOG_MS, 'hangs', { ref: false }),
    ])
    expect(ended, `the keeper, seed ${seed}`).not.toBe('hangs')
  },
)
