/** Listeners on one thread: what they are told, and what they cannot harm. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { InvalidOptionError } from '../../src/errors.ts'
import { attachRegistry, createRegistry } from '../../src/make-registry.ts'
import { viewsOf } from '../../src/memory/atomics.ts'
import { JOURNAL_LONGS, RECORD } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import type { StateChange } from '../../src/news/events.ts'

const make = () => createRegistry({ keeper: false, clock: 'manual', maxBreakers: 8, maxThreads: 2 })

const pairOf = ({ breaker, to }: StateChange) => `${breaker} ${to}`

it('tells each listener every transition once, in order, after the call', async () => {
  const registry = make()
  const [a, b] = [registry.breaker('a'), registry.breaker('b')]
  const all: string[] = []
  const onlyA: string[] = []
  registry.on('stateChange', change => all.push(pairOf(change)))
  a.on('stateChange', change => onlyA.push(pairOf(change)))
  a.disable()
  b.open()
  a.reset()
  expect(all).toEqual([])
  await turn()
  expect(all).toEqual(['a disabled', 'b open', 'a closed'])
  expect(onlyA).toEqual(['a disabled', 'a closed'])
  // One that is made later is heard too.
  registry.breaker('c').forceOpen({ reason: 'drill' })
  await turn()
  expect(all.at(-1)).toBe('c forced-open')
})

it('a message is a transition of the history, and says that it is this thread’s own', async () => {
  const registry = make()
  const heard: StateChange[] = []
  registry.on('stateChange', change => heard.push(change))
  registry.breaker('b').forceOpen({ reason: 'drill' })
  await turn()
  expect(heard).toEqual(registry.history().map(entry => ({ ...entry, origin: 'self' })))
})

it('begins with what comes after, and ends with off, once for each on', async () => {
  const registry = make()
  const breaker = registry.breaker('b')
  breaker.disable()
  const listener = vi.fn()
  expect(breaker.on('stateChange', listener).on('stateChange', listener)).toBe(breaker)
  breaker.reset()
  await turn()
  expect(listener.mock.calls.map(([{ to }]) => to)).toEqual(['closed', 'closed'])
  expect(breaker.off('stateChange', listener)).toBe(breaker)
  breaker.disable()
  await turn()
  expect(listener).toHaveBeenCalledTimes(3)
  breaker.off('stateChange', listener)
  breaker.off('stateChange', listener)
  breaker.reset()
  await turn()
  expect(listener).toHaveBeenCalledTimes(3)
})

describe('a listener that throws', () => {
  it('harms neither its neighbours nor the call, and is warned of', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    try {
      const registry = make()
      const breaker = registry.breaker('b')
      const after = vi.fn()
      registry.on('stateChange', () => {
        throw new Error('no luck')
      })
      registry.on('stateChange', after)
      breaker.disable()
      await turn()
      expect(after).toHaveBeenCalledTimes(1)
      expect(warned.mock.calls.map(([text]) => String(text))).toEqual([
        expect.stringMatching(/^busbar: a listener threw: Error: no luck\n {4}at /),
      ])
    } finally {
      warned.mockRestore()
    }
  })

  it('nor does one that changes what it is told, or listens and leaves meanwhile', async () => {
    const registry = make()
    const breaker = registry.breaker('b')
    const heard: string[] = []
    const late = vi.fn()
    const first = (change: StateChange): void => {
      change.to = 'open'
      registry.off('stateChange', first)
      registry.on('stateChange', late)
      breaker.reset()
    }
    registry.on('stateChange', first)
    registry.on('stateChange', change => heard.push(change.to))
    breaker.disable()
    await turn()
    expect(heard).toEqual(['disabled', 'closed'])
    expect(late.mock.calls.map(([{ to }]) => to)).toEqual(['closed'])
  })
})

it('a listener that comes while others are told does not change their order', async () => {
  const registry = make()
  const breaker = registry.breaker('b')
  const heard: string[] = []
  registry.on('stateChange', ({ to }) => {
    if (to === 'disabled') registry.on('stateChange', () => {})
  })
  registry.on('stateChange', ({ to }) => heard.push(to))
  breaker.disable()
  breaker.reset()
  breaker.metricsOnly()
  await turn()
  expect(heard).toEqual(['disabled', 'closed', 'metrics-only'])
})

it('a transition whose maker died before it was published is told within a second or two', async () => {
  const registry = make()
  const breaker = registry.breaker('b')
  const heard: string[] = []
  const { shape } = attachRegion(registry.handle)
  const memory = viewsOf(registry.handle.buffer)
  registry.on('stateChange', ({ to }) => heard.push(to))
  breaker.disable()
  // As if it had not been published.
  memory[shape.breakers.arena + RECORD.STATE] = 0
  for (let turns = 0; turns < 10; turns++) await turn()
  expect(heard).toEqual([])
  const deadline = Date.now() + 10_000
  while (heard.length === 0 && Date.now() < deadline) await turn()
  expect(heard).toEqual(['disabled'])
})

it('a key that was damaged is a gap of one, whatever stands in the head', async () => {
  const registry = make()
  const breaker = registry.breaker('b')
  const { shape } = attachRegion(registry.handle)
  const memory = viewsOf(registry.handle.buffer)
  const heard: (string | number)[] = []
  registry.on('stateChange', ({ to }) => heard.push(to))
  registry.on('gap', ({ missed }) => heard.push(missed))
  breaker.disable()
  breaker.reset()
  breaker.open()
  memory.longs[shape.journalLong + JOURNAL_LONGS] = 0x0123456789abcdefn
  await turn()
  expect(heard).toEqual(['disabled', 1, 'open'])
})

it('too many at once are a gap, said with their number, and the last are told', async () => {
  const registry = make()
  const breaker = registry.breaker('b')
  const heard: number[] = []
  const gaps: number[] = []
  registry.on('stateChange', ({ generation }) => heard.push(generation))
  breaker.on('gap', ({ missed }) => gaps.push(missed))
  for (let step = 0; step < 3_000; step++) breaker.forceOpen()
  await turn()
  expect(gaps).toHaveLength(1)
  expect(heard).toHaveLength(3_000 - (gaps[0] as number))
  expect(heard.at(0)).toBe((gaps[0] as number) + 1)
  expect(heard.at(-1)).toBe(3_000)
})

it('two registries of a thread hear each for itself; a closed one hears no more', async () => {
  const registry = make()
  const other = attachRegistry(registry.handle)
  const [here, there] = [vi.fn(), vi.fn()]
  registry.on('stateChange', here)
  other.on('stateChange', there)
  registry.breaker('b').disable()
  await turn()
  expect([here.mock.calls.length, there.mock.calls.length]).toEqual([1, 1])
  other.close()
  registry.breaker('b').reset()
  await turn()
  expect([here.mock.calls.length, there.mock.calls.length]).toEqual([2, 1])
  expect(() => other.on('stateChange', there)).toThrow(/this registry was closed/)
  registry.close()
})

it('publishes on busbar:stateChange while somebody subscribes', async () => {
  const registry = make()
  const breaker = registry.breaker('b')
  const heard: string[] = []
  const listener = (message: unknown): void => {
    heard.push(`${(message as StateChange).to} ${(message as StateChange).origin}`)
  }
  subscribe('busbar:stateChange', listener)
  try {
    breaker.disable()
    await turn()
    expect(heard).toEqual(['disabled self'])
  } finally {
    unsubscribe('busbar:stateChange', listener)
  }
  breaker.reset()
  await turn()
  expect(heard).toEqual(['disabled self'])
})

it.each([
  ['an unknown event', 'open', () => {}, /event must be 'stateChange' or 'gap'; got "open"/],
  ['no function', 'stateChange', undefined, /listener must be a function/],
  ['an object', 'gap', {}, /listener must be a function/],
])('refuses %s', (_, event, listener, message) => {
  const registry = make()
  for (const of of [registry, registry.breaker('b')]) {
    expect(() => of.on(event as 'gap', listener as () => void)).toThrow(InvalidOptionError)
    expect(() => of.on(event as 'gap', listener as () => void)).toThrow(message)
    expect(() => of.off(event as 'gap', listener as () => void)).toThrow(message)
  }
})
