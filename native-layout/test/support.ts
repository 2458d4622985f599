/** What the tests with native threads have in common. */
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { expect, type TestContext } from 'vitest'
import {
  type CircuitBreaker,
  createRegistry,
  type Registry,
  type RegistryOptions,
} from '../../src/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { closedGate, type Member, start } from '../../test/threads/crew.ts'
import { type Counts, missing } from './addon.ts'

/** For `beforeEach`: says so where there is no compiler, and leaves the test out. */
export function needAddon(context: TestContext): void {
  needs(context, missing)
}

const said = new Set<string>()

/** Leaves the test out with a plain message when `why` gives a reason; each file says it once. */
export function needs(context: TestContext, why: string | undefined): void {
  if (why === undefined) return
  if (!said.has(why)) console.warn(`tests with native threads are left out: ${why}`)
  said.add(why)
  context.skip(why)
}

const WORKER = new URL('worker.mjs', import.meta.url)

/** Opens the gate when so many wait at it; crews.c has the other side. */
export async function openGate(gate: Int32Array, waiting: number): Promise<void> {
  await until(() => Atomics.load(gate, 1) >= waiting)
  Atomics.store(gate, 0, 1)
}

/** A registry with a keeper, and what ends both, for the verifier to find a region at rest. */
export async function startKept(
  options: RegistryOptions,
): Promise<{ registry: Registry; end: () => Promise<void> }> {
  const started = once(process, 'worker')
  const registry = createRegistry({ ...options, keeper: true })
  const [keeper] = (await started) as [Worker]
  const ended = once(keeper, 'exit')
  const end = async (): Promise<void> => {
    registry.close()
    await ended
  }
  return { registry, end }
}

/** A JavaScript worker that does one job of worker.mjs, on the built package. */
export function startWorker<T = Counts>(
  registry: Registry,
  job: string,
  args: object,
  gate = closedGate(),
): Member<T> {
  return start<T>(registry, job, args, 0, gate, WORKER)
}

/** Waits, with the event loop at work, until `holds`. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within 10 s: ${holds}`)
    await setTimeout(1)
  }
}

export function sumOf(counts: readonly Counts[], key: keyof Counts): number {
  return counts.reduce((sum, each) => sum + each[key], 0)
}

/** What JavaScript counts: a release there does not say whether it was late. */
export interface WorkerCounts extends Counts {
  readonly released: number
}

/** What each outcome of crews.c and of worker.mjs is said to have taken. */
const NATIVE_MS = 0.25
const WORKER_MS = 0.5

/** What all callers counted is what the totals say, and nothing is in flight. */
export function expectConserved(
  breaker: CircuitBreaker,
  natives: readonly Counts[],
  workers: readonly WorkerCounts[],
): void {
  const { totals, durations } = breaker.snapshot()
  const { admitted, refused, succeeded, failed, ignored, late, inFlight, abandoned } = totals
  const all = [...natives, ...workers]
  const released = workers.reduce((sum, each) => sum + each.released, 0)
  expect({ admitted, refused, succeeded, failed, unsettled: inFlight + abandoned }).toEqual({
    admitted: sumOf(all, 'admitted'),
    refused: sumOf(all, 'refused'),
    succeeded: sumOf(all, 'succeeded'),
    failed: sumOf(all, 'failed'),
    unsettled: 0,
  })
  expect(ignored + late).toBe(sumOf(all, 'ignored') + sumOf(all, 'late') + released)
  expect(ignored).toBeGreaterThanOrEqual(sumOf(all, 'ignored'))
  expect(late).toBeGreaterThanOrEqual(sumOf(all, 'late'))
  const counted = (of: readonly Counts[]): number => sumOf(of, 'succeeded') + sumOf(of, 'failed')
  expect(durations.count).toBe(counted(all))
  expect(durations.sumMs).toBe(counted(natives) * NATIVE_MS + counted(workers) * WORKER_MS)
}

/** With so many transitions the journal surely has them all, some twice. */
const SURELY_IN_JOURNAL = 900

/** The journal has every transition of the only breaker, in order, and says who made it. */
export function expectHistory(registry: Registry, breaker: CircuitBreaker): void {
  const { generation, state } = breaker.snapshot()
  const [first, ...others] = registry.history()
  if (first === undefined) {
    expect(generation).toBe(0)
    return
  }
  if (generation <= SURELY_IN_JOURNAL)
    expect(first).toMatchObject({ generation: 1, from: 'closed' })
  let last = first
  for (const next of others) {
    expect(next).toMatchObject({ generation: last.generation + 1, from: last.to })
    expect(next.thread).toBeDefined()
    last = next
  }
  expect(last).toMatchObject({ generation, to: state })
}

/** The verifier finds nothing in a region at rest. */
export function expectSound(registry: Registry, options = { quiet: true }): void {
  expect(verify(registry.handle.buffer, options)).toEqual([])
}
