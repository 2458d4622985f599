/** What a process that starts from an export does. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attachRegistry, CircuitOpenError, type ExportedBreaker } from '../../src/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { fail, OPTIONS, restart, start, succeed } from './support.ts'

describe('a breaker that was open', () => {
  it('stays so for what remains of its wait, however long its process takes to make it', () => {
    const before = start()
    fail(before.breaker('b', OPTIONS))
    before.advance(400)
    const registry = restart(before)
    registry.advance(250)
    const breaker = registry.breaker('b', OPTIONS)
    expect(breaker.state).toBe('open')
    expect(breaker.retryAfterMs()).toBe(350)
    expect(breaker.tryAcquire()).toBe(-1)
    registry.advance(350)
    expect(breaker.tryAcquire()).toBeGreaterThanOrEqual(0)
    expect(breaker.state).toBe('half-open')
  })

  it('ends its wait at the same moment in every copy where the ages are known (SX-01)', () => {
    // Times of the case are those of one clock; each process has its own.
    const options = { ...OPTIONS, waitDurationInOpenStateMs: 30_000 }
    const first = start()
    fail(first.breaker('b', options))
    first.advance(100)
    const second = restart(first, 9_900)
    const breaker = second.breaker('b', options)
    expect(breaker.state).toBe('open')
    second.advance(1)
    expect(breaker.tryAcquire()).toBe(-1)
    second.advance(9_999)
    const third = restart(second, 9_000)
    third.advance(500)
    const last = third.breaker('b', options)
    expect(last.tryAcquire()).toBe(-1)
    third.advance(499.9)
    expect(last.tryAcquire()).toBe(-1)
    third.advance(0.1)
    succeed(last)
    expect(last.state).toBe('closed')
  })

  it('is asked at once when its wait is over by the time that it is made', () => {
    const before = start()
    fail(before.breaker('b', OPTIONS))
    const registry = restart(before, 400)
    registry.advance(700)
    succeed(registry.breaker('b', OPTIONS))
    expect(registry.breaker('b').state).toBe('closed')
    expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
  })

  it('goes on in its row of openings', () => {
    const before = start()
    const breaker = before.breaker('b', OPTIONS)
    fail(breaker)
    before.advance(1_000)
    fail(breaker)
    expect(breaker.retryAfterMs()).toBe(10_000)
    const registry = restart(before)
    const again = registry.breaker('b', OPTIONS)
    registry.advance(10_000)
    fail(again)
    expect(again.retryAfterMs()).toBe(100_000)
    registry.advance(100_000)
    succeed(again)
    fail(again)
    expect(again.retryAfterMs()).toBe(1_000)
  })

  it('says so in its refusals and in the history', async () => {
    const before = start()
    fail(before.breaker('b', OPTIONS))
    const registry = restart(before)
    const error = await registry
      .breaker('b')
      .execute(() => 1)
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(CircuitOpenError)
    expect(error).toMatchObject({ state: 'open', reason: 'imported' })
    expect(registry.history()).toMatchObject([{ from: 'closed', to: 'open', reason: 'imported' }])
  })
})

describe('options', () => {
  it('are those of the code, whatever they were before', () => {
    const before = start()
    fail(before.breaker('b', OPTIONS))
    const registry = restart(before)
    const options = { ...OPTIONS, slidingWindow: { type: 'count', size: 50 } } as const
    expect(registry.breaker('b', options).state).toBe('open')
    expect(registry.breaker('b').options.slidingWindow).toEqual({ type: 'count', size: 50 })
  })

  it('bound what remains of a wait, its jitter included', () => {
    const before = start()
    before.breaker('b', { ...OPTIONS, waitDurationInOpenStateMs: 90_000 }).open()
    before.breaker('held', OPTIONS).forceOpen({ ttlMs: 90_000 })
    const registry = restart(before)
    const wait = { initialMs: 2_000, maxMs: 4_000, jitter: 0.5 }
    const breaker = registry.breaker('b', { ...OPTIONS, waitDurationInOpenStateMs: wait })
    expect(breaker.retryAfterMs()).toBe(6_000)
    expect(breaker.tryAcquire()).toBe(-1)
    expect(registry.snapshot().damaged).toBe(0)
    expect(registry.breaker('held', OPTIONS).retryAfterMs()).toBe(90_000)
  })
})

describe('what was done by hand', () => {
  it('holds on, with its reason and what remains of its time', () => {
    const before = start()
    before.breaker('held', OPTIONS).forceOpen({ reason: 'INC-1207' })
    before.breaker('held-for', OPTIONS).forceOpen({ ttlMs: 5_000 })
    before.breaker('off', OPTIONS).disable()
    before.breaker('watched', OPTIONS).metricsOnly()
    before.advance(1_000)
    const registry = restart(before)
    const held = registry.breaker('held', OPTIONS)
    expect([held.state, held.retryAfterMs()]).toEqual(['forced-open', Number.POSITIVE_INFINITY])
    expect(registry.history()).toMatchObject([{ to: 'forced-open', reason: 'INC-1207' }])
    expect(registry.breaker('held-for', OPTIONS).retryAfterMs()).toBe(4_000)
    for (const name of ['off', 'watched'] as const) {
      const breaker = registry.breaker(name, OPTIONS)
      fail(breaker)
      expect(breaker.state).toBe(name === 'off' ? 'disabled' : 'metrics-only')
    }
  })

  it('is given once: a later command is not undone by who comes after it', () => {
    const before = start()
    before.breaker('b', OPTIONS).forceOpen()
    const registry = restart(before)
    registry.breaker('b', OPTIONS).reset()
    const other = attachRegistry(registry.handle)
    expect(other.breaker('b').state).toBe('closed')
    expect(registry.history().map(({ to }) => to)).toEqual(['forced-open', 'closed'])
    other.close()
  })
})

describe('what nobody has made yet', () => {
  it('is exported again with what remains by then', () => {
    const before = start()
    fail(before.breaker('soon', OPTIONS))
    before.breaker('later', { ...OPTIONS, waitDurationInOpenStateMs: 5_000 }).open()
    before.breaker('off', OPTIONS).disable()
    const registry = restart(before)
    expect(registry.names()).toEqual([])
    registry.advance(1_000)
    // Nobody called it for all of its wait: it starts anew.
    expect(registry.export().breakers).toEqual([
      { name: 'later', state: 'open', openings: 1, remainingMs: 4_000 },
      { name: 'off', state: 'disabled', openings: 0 },
    ])
    registry.breaker('off', OPTIONS).reset()
    expect(registry.export().breakers.map(({ name }) => name)).toEqual(['later'])
  })

  it('takes no place in the registry', () => {
    const before = start({ maxBreakers: 16 })
    for (let index = 0; index < 16; index++) fail(before.breaker(`b${index}`, OPTIONS))
    const exported = before.export()
    const registry = start({ import: exported, maxBreakers: 1 })
    expect(registry.breaker('b7', OPTIONS).state).toBe('open')
    expect(registry.export().breakers).toHaveLength(16)
  })
})

const EXPORTED: fc.Arbitrary<ExportedBreaker> = fc
  .record({
    name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    openings: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
    remainingMs: fc.integer({ min: 0, max: 1_000_000_000 }).map(micros => micros / 1000),
    reason: fc.string({ unit: 'grapheme', maxLength: 8 }),
    state: fc.constantFrom('open', 'forced-open', 'disabled', 'metrics-only'),
  })
  .map(({ remainingMs, ...breaker }) => {
    const waits = breaker.state === 'open' || breaker.state === 'forced-open'
    return { ...breaker, ...(waits ? { remainingMs } : {}) }
  })

it('gives back what it was given, any number of times', () => {
  const exports = fc.uniqueArray(EXPORTED, { selector: ({ name }) => name, maxLength: 16 })
  const kernels = fc.constantFrom('js', 'wasm')
  fc.assert(
    fc.property(exports, kernels, (breakers, kernel) => {
      using registry = start({ import: { busbar: 1, breakers }, kernel })
      for (const { name } of breakers) registry.breaker(name, OPTIONS)
      expect(registry.export()).toEqual({ busbar: 1, breakers })
      expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
    }),
    { numRuns: 100 },
  )
})
