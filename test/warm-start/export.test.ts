/** What an export says of each state. */
import { expect, it } from 'vitest'
import { NoRegistryError } from '../../src/index.ts'
import { RECORD } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { Directory } from '../../src/protocol/directory.ts'
import { fail, OPTIONS, start, succeed } from './support.ts'

it('says what is not closed, in what state, and what remains of its wait', () => {
  const registry = start()
  for (const name of ['closed', 'open', 'held', 'held-for', 'off', 'watched']) {
    registry.breaker(name, OPTIONS)
  }
  fail(registry.breaker('open'))
  registry.breaker('held').forceOpen()
  registry.breaker('held-for').forceOpen({ reason: 'INC-1207', ttlMs: 5_000 })
  registry.breaker('off').disable()
  registry.breaker('watched').metricsOnly()
  registry.advance(400)
  expect(registry.export()).toEqual({
    busbar: 1,
    breakers: [
      { name: 'open', state: 'open', openings: 1, remainingMs: 600 },
      { name: 'held', state: 'forced-open', openings: 0 },
      {
        ...{ name: 'held-for', state: 'forced-open', openings: 0 },
        ...{ remainingMs: 4_600, reason: 'INC-1207' },
      },
      { name: 'off', state: 'disabled', openings: 0 },
      { name: 'watched', state: 'metrics-only', openings: 0 },
    ],
  })
})

it('says of a wait that is over that nothing remains', () => {
  const registry = start()
  fail(registry.breaker('b', OPTIONS))
  registry.breaker('held', OPTIONS).forceOpen({ ttlMs: 10 })
  registry.advance(20_000)
  expect(registry.export().breakers).toEqual([
    { name: 'b', state: 'open', openings: 1, remainingMs: 0 },
    { name: 'held', state: 'forced-open', openings: 0, remainingMs: 0 },
  ])
  expect(registry.breaker('b').state, 'looking moves nothing').toBe('open')
})

it('counts the openings in a row', () => {
  const registry = start()
  const breaker = registry.breaker('b', OPTIONS)
  fail(breaker)
  registry.advance(1_000)
  fail(breaker)
  expect(registry.export().breakers[0]).toMatchObject({ openings: 2, remainingMs: 10_000 })
  registry.advance(10_000)
  succeed(breaker)
  expect(registry.export().breakers).toEqual([])
  fail(breaker)
  expect(registry.export().breakers[0]).toMatchObject({ openings: 1, remainingMs: 1_000 })
})

it('gives half-open as open with its wait over: trials end with their process', () => {
  const registry = start()
  const breaker = registry.breaker('b', { ...OPTIONS, trialTimeoutMs: 500 })
  fail(breaker)
  registry.advance(1_000)
  breaker.tryAcquire()
  expect(breaker.state).toBe('half-open')
  const open = { name: 'b', state: 'open' } as const
  expect(registry.export().breakers).toEqual([{ ...open, openings: 1, remainingMs: 0 }])
  // The trial has outlived its lease: that opened it again, whoever notices.
  registry.advance(700)
  expect(registry.export().breakers).toEqual([{ ...open, openings: 2, remainingMs: 9_800 }])
  expect(breaker.state).toBe('half-open')
})

it('keeps it forced open where no opening of its own came before', () => {
  const registry = start()
  const breaker = registry.breaker('b', OPTIONS)
  breaker.forceOpen({ ttlMs: 100 })
  registry.advance(100)
  breaker.tryAcquire()
  expect(breaker.state).toBe('half-open')
  expect(registry.export().breakers).toEqual([
    { name: 'b', state: 'forced-open', openings: 0, remainingMs: 0 },
  ])
})

it('leaves out what the next asker would close', () => {
  const registry = start()
  const breaker = registry.breaker('b', {
    ...OPTIONS,
    permittedNumberOfCallsInHalfOpenState: 2,
    halfOpenFailureRateThreshold: 0.6,
    trialTimeoutMs: 500,
  })
  fail(breaker)
  registry.advance(1_000)
  succeed(breaker)
  breaker.tryAcquire()
  expect(registry.export().breakers).toMatchObject([{ state: 'open', remainingMs: 0 }])
  registry.advance(500)
  expect(registry.export().breakers).toEqual([])
})

it('can be read also where memory is damaged', () => {
  const registry = start()
  fail(registry.breaker('b', OPTIONS))
  registry.breaker('unheard of', OPTIONS)
  const region = attachRegion(registry.handle)
  const directory = new Directory(region, { thread: 0, parent: 0 })
  const recordOf = (name: string): number => directory.find(name)?.record ?? Number.NaN
  region.memory.longs[recordOf('b') / 2 + RECORD.OPENINGS_LONG + 1] = 0n
  region.memory[recordOf('unheard of') + RECORD.STATE] = 7
  expect(registry.export().breakers).toMatchObject([{ name: 'b', openings: 1 }])
})

it('is a copy: neither changes with the other (SX-02)', () => {
  const registry = start()
  const breaker = registry.breaker('b', OPTIONS)
  fail(breaker)
  const exported = registry.export()
  const text = JSON.stringify(exported)
  breaker.reset()
  breaker.forceOpen({ reason: 'later' })
  registry.breaker('other', OPTIONS).disable()
  expect(JSON.stringify(exported)).toBe(text)

  // Windows are not carried: every generation begins with an empty one, the first one too.
  const next = start({ import: exported })
  Object.assign(exported.breakers[0] ?? {}, { state: 'disabled', remainingMs: 1 })
  expect(next.breaker('b', OPTIONS).retryAfterMs()).toBe(1_000)
  expect(next.breaker('b').snapshot().window.calls).toBe(0)
})

it('needs a registry that is open', () => {
  const registry = start()
  registry.close()
  expect(() => registry.export()).toThrow(NoRegistryError)
})
