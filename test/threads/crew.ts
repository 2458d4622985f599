/** Starts workers for the thread tests and collects what they answer. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { onTestFinished } from 'vitest'
import type { Registry } from '../../src/index.ts'

const WORKER = new URL('worker.mjs', import.meta.url)

export interface Member<T> {
  readonly worker: Worker
  /** Rejects when the worker ends without an answer. */
  readonly result: Promise<T>
  readonly exited: Promise<unknown>
}

/** Two words: whether the gate is open, and how many wait at it. */
export function closedGate(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(8))
}

export function start<T>(
  registry: Registry,
  job: string,
  args: object,
  index = 0,
  gate = closedGate(),
  file = WORKER,
): Member<T> {
  const workerData = { handle: registry.handle, job, args, index, gate: gate.buffer }
  const worker = new Worker(file, { workerData })
  // Terminated workers settle nothing; whoever waits for an answer sees the exit.
  const exited = once(worker, 'exit')
  const result = new Promise<T>((resolve, reject) => {
    worker.once('message', (message: { result: T }) => resolve(message.result))
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error(`the worker of ${job} ended without an answer`)))
  })
  result.catch(() => {})
  onTestFinished(async () => {
    await worker.terminate()
  })
  return { worker, result, exited }
}

/** Runs one job in several workers that start it at the same moment. */
export async function together<T>(
  registry: Registry,
  workers: number,
  job: string,
  args: object,
): Promise<T[]> {
  const gate = closedGate()
  const members = Array.from({ length: workers }, (_, index) =>
    start<T>(registry, job, args, index, gate),
  )
  while (Atomics.load(gate, 1) < workers) {
    await Promise.race([new Promise(setImmediate), Promise.race(members.map(m => m.result))])
  }
  Atomics.store(gate, 0, 1)
  const results = await Promise.all(members.map(member => member.result))
  await Promise.all(members.map(member => member.exited))
  return results
}

/** Waits until this thread has been told of the deaths, as `holds` sees it. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`not within 10 s: ${holds}`)
    await new Promise(setImmediate)
  }
}
