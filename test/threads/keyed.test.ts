/** Keyed breakers under real threads, and deaths: no name twice, no group too large, no call lost. */
import { expect, it } from 'vitest'
import { createRegistry, type Registry } from '../../src/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { start, together, until } from './crew.ts'

const MAX = 8
const OPTIONS = {
  slidingWindow: { type: 'consecutive', failures: 3 },
  waitDurationInOpenStateMs: 1,
}

function expectSound(registry: Registry, seed: number): void {
  const names = registry.names()
  expect(new Set(names).size, `seed ${seed}`).toBe(names.length)
  expect(names.length, `seed ${seed}`).toBeLessThanOrEqual(MAX)
  for (const { name, totals } of registry.snapshot().breakers) {
    const { admitted, succeeded, failed, ignored, late, abandoned, inFlight } = totals
    const settled = succeeded + failed + ignored + late + abandoned
    expect([admitted, inFlight], `${name}, seed ${seed}`).toEqual([settled, 0])
  }
  expect(registry.snapshot().damaged).toBe(0)
}

it('stay apart, and as many as they may be', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  using registry = createRegistry({ maxBreakers: MAX, maxThreads: 8 })
  const args = { max: MAX, keys: 40, calls: 4000, seed, options: OPTIONS }
  const results = await together<{ made: number; full: number }>(registry, 4, 'keyed', args)
  expect(results.reduce((sum, { made }) => sum + made, 0)).toBeGreaterThan(4000)
  expectSound(registry, seed)
  expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
})

it('stay so when threads die at any moment', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  using registry = createRegistry({ maxBreakers: MAX, maxThreads: 8 })
  for (let round = 0; round < 10; round++) {
    const args = { max: MAX, keys: 40, calls: 1e9, seed: seed + round, options: OPTIONS }
    const gate = new Int32Array(new SharedArrayBuffer(8))
    const members = [0, 1].map(index => start(registry, 'keyed', args, index, gate))
    await until(() => Atomics.load(gate, 1) === 2)
    Atomics.store(gate, 0, 1)
    const group = registry.keyed('k', { max: MAX, ...OPTIONS } as never)
    for (let key = 0; key < 20; key++) {
      try {
        group.breaker(`main-${key}`)
      } catch (error) {
        expect(error).toMatchObject({ code: 'ERR_REGISTRY_FULL' })
      }
    }
    for (const { worker } of members) await worker.terminate()
    await until(() => registry.snapshot().threads === 1)
  }
  expectSound(registry, seed)
  expect(verify(registry.handle.buffer, { quiet: true, deaths: true })).toEqual([])
})
