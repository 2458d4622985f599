/** `registry.dump`: the file is the region, whoever works meanwhile, or nothing stands there. */
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import {
  createRegistry,
  InvalidOptionError,
  NoRegistryError,
  type Registry,
  type SlidingWindow,
} from '../../src/index.ts'
import { readRegion } from '../../src/inspect/file.ts'
import { viewOf } from '../../src/inspect/view.ts'
import { start, until } from '../threads/crew.ts'
import { makeFolder, makeStates, runTool } from './support.ts'

it('writes the bytes of the region and nothing else, for the owner to read', () => {
  const registry = makeStates()
  const file = join(makeFolder(), 'region')
  registry.dump(file)
  const bytes = Buffer.from(new Uint8Array(registry.handle.buffer))
  expect(readFileSync(file).equals(bytes)).toBe(true)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('takes a file: URL, and replaces what was there', () => {
  const registry = createRegistry({ clock: 'manual' })
  const folder = makeFolder()
  const file = join(folder, 'region')
  writeFileSync(file, 'something older')
  registry.dump(pathToFileURL(file))
  expect(statSync(file).size).toBe(registry.handle.buffer.byteLength)
  expect(readdirSync(folder)).toEqual(['region'])
})

it('leaves nothing behind when it fails, and says why', () => {
  const registry = createRegistry({ clock: 'manual' })
  const folder = makeFolder()
  const missing = join(folder, 'missing', 'region')
  expect(() => registry.dump(missing)).toThrow(/ENOENT.*missing/)
  const taken = join(folder, 'taken')
  mkdirSync(join(taken, 'full'), { recursive: true })
  expect(() => registry.dump(taken)).toThrow(/taken/)
  expect(readdirSync(folder)).toEqual(['taken'])
})

it.each([
  ['nothing', undefined],
  ['a number', 7],
  ['an empty string', ''],
  ['an object', { path: '/tmp/x' }],
  ['a URL that is no file', new URL('https://example.com/region')],
])('refuses %s as a path', (_, path) => {
  const registry = createRegistry({ clock: 'manual' })
  const dump = () => registry.dump(path as string)
  expect(dump).toThrow(InvalidOptionError)
  expect(dump).toThrow(/^dump\(path\) must be a non-empty string or a file: URL; got /)
})

it('refuses once the registry is closed', () => {
  const registry = createRegistry({ clock: 'manual' })
  registry.close()
  expect(() => registry.dump(join(makeFolder(), 'region'))).toThrow(NoRegistryError)
})

it('works from a worker while the main loop is blocked', async () => {
  const registry = createRegistry({ keeper: false })
  registry.breaker('payments').open({ reason: 'blocked' })
  const gate = new Int32Array(new SharedArrayBuffer(8))
  const path = join(makeFolder(), 'region')
  const workerData = { handle: registry.handle, path, gate }
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData })
  onTestFinished(async () => {
    await worker.terminate()
  })
  await once(worker, 'message')
  Atomics.store(gate, 0, 1)
  Atomics.notify(gate, 0)
  // This blocks the main thread, so the file is there without any help of its loop.
  expect(Atomics.wait(gate, 1, 0, 20_000)).not.toBe('timed-out')
  const view = viewOf(readRegion(path))
  expect(view.breakers[0]).toMatchObject({ name: 'payments', state: 'open', reason: 'blocked' })
})

const WINDOWS: [string, SlidingWindow][] = [
  ['time', { type: 'time', durationMs: 100, buckets: 50 }],
  ['count', { type: 'count', size: 20 }],
  ['consecutive', { type: 'consecutive', failures: 3 }],
]

/** Three workers and this thread have three slots: one of them records in the overflow shard. */
async function startHammering(registry: Registry, breaker: string): Promise<void> {
  const gate = new Int32Array(new SharedArrayBuffer(8))
  const outcomes = Number.MAX_SAFE_INTEGER
  for (const index of [0, 1, 2])
    start(registry, 'hammer', { breaker, outcomes, seed: 1 }, index, gate)
  await until(() => Atomics.load(gate, 1) === 3)
  Atomics.store(gate, 0, 1)
}

it.each(WINDOWS)('shows no damage while three workers hammer a %s window', async (_, window) => {
  const registry = createRegistry({ keeper: false, maxThreads: 3, maxBreakers: 4 })
  const wait = { waitDurationInOpenStateMs: { initialMs: 0.01, maxMs: 0.02, jitter: 0.5 } }
  const breaker = registry.breaker('b', { ...wait, slidingWindow: window, minimumNumberOfCalls: 5 })
  const file = join(makeFolder(), 'region')
  await startHammering(registry, 'b')
  for (let dumps = 0; dumps < 60; dumps++) {
    const { admitted } = breaker.snapshot().totals
    await until(() => breaker.snapshot().totals.admitted > admitted)
    registry.dump(file)
    expect(statSync(file).size).toBe(registry.handle.buffer.byteLength)
    const { findings } = viewOf(readRegion(file))
    expect(findings.filter(({ certain }) => certain)).toEqual([])
    if (dumps % 30 > 0) continue
    expect(await runTool(file)).toMatchObject({ code: findings.length > 0 ? 1 : 0, stderr: '' })
  }
})

it('shows nothing that is certain while three workers make breakers, and others go for them', async () => {
  const registry = createRegistry({ keeper: false, maxThreads: 4, maxBreakers: 6 })
  const row = { slidingWindow: { type: 'consecutive', failures: 3 }, waitDurationInOpenStateMs: 1 }
  const args = { max: 6, keys: 40, calls: Number.MAX_SAFE_INTEGER, seed: 1, options: row }
  const gate = new Int32Array(new SharedArrayBuffer(8))
  for (const index of [0, 1, 2]) start(registry, 'keyed', args, index, gate)
  await until(() => Atomics.load(gate, 1) === 3)
  Atomics.store(gate, 0, 1)
  const file = join(makeFolder(), 'region')
  for (let dumps = 0; dumps < 60; dumps++) {
    await new Promise(setImmediate)
    registry.dump(file)
    const { breakers, findings } = viewOf(readRegion(file))
    expect(findings.filter(({ certain }) => certain)).toEqual([])
    expect(breakers.length).toBeLessThanOrEqual(6)
  }
})
