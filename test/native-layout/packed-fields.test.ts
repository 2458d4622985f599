/** What of described packings no function reads alone, and the numbers that are described. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONSTANTS, ENUMERATIONS } from '../../src/memory/described/index.ts'
import { KINDS } from '../../src/memory/layout.ts'
import * as ages from '../../src/memory/words/ages.ts'
import * as state from '../../src/memory/words/state.ts'
import * as threads from '../../src/memory/words/threads.ts'
import * as throttle from '../../src/memory/words/throttle.ts'
import * as tick from '../../src/memory/words/tick.ts'
import * as windows from '../../src/memory/words/windows.ts'
import { FAILED_KIND, GOOD, SLOW_KIND } from '../../src/protocol/window.ts'
import { anyFields, build, number, packingOf, signed, unsigned } from './packing.ts'

describe('fields that no function reads alone', () => {
  it('the tag of NEXT says whose it is', () => {
    fc.assert(
      fc.property(anyFields('NEXT'), fields => {
        const word = signed('NEXT', build('NEXT', fields))
        expect(state.isNextOf(word, number(fields.tag))).toBe(true)
        expect(state.isNextOf(word, number(fields.tag) + 1)).toBe(false)
      }),
    )
  })

  it('stocks of one version differ in what is left of them only', () => {
    const left = fc.bigInt(1n, BigInt(windows.STOCK_BIAS + windows.MAX_STOCK))
    fc.assert(
      fc.property(anyFields('STOCK'), left, left, (fields, one, other) => {
        const words = [one, other].map(value =>
          Number(signed('STOCK', build('STOCK', { ...fields, left: value }))),
        )
        const [a = 0, b = 0] = words
        expect(windows.isSameStock(a, b)).toBe(true)
        expect(windows.isSameStock(a, b + 2 ** windows.VERSION_SHIFT)).toBe(false)
        expect(a - b).toBe(number(one) - number(other))
      }),
    )
  })

  it('a ring word is known by its generation and lap', () => {
    fc.assert(
      fc.property(anyFields('RING'), fields => {
        const word = Number(signed('RING', build('RING', fields)))
        const kind = windows.ringKindOf(word, number(fields.generation), number(fields.lap))
        expect(kind).toBe(number(fields.outcome) - 1)
      }),
    )
  })

  it('the round of a probability says whose it is', () => {
    fc.assert(
      fc.property(anyFields('PROBABILITY'), fields => {
        const word = Number(build('PROBABILITY', fields))
        expect(throttle.isOfRound(word, number(fields.round))).toBe(true)
        expect(throttle.isOfRound(word, number(fields.round) + 1)).toBe(false)
      }),
    )
  })

  it('calls told by age are known by their epoch', () => {
    fc.assert(
      fc.property(anyFields('AGED'), fields => {
        const word = Number(signed('AGED', build('AGED', fields)))
        expect(ages.callsOf(word, number(fields.epoch))).toBe(number(fields.calls))
        expect(ages.callsOf(word, number(fields.epoch) + 1)).toBe(0)
      }),
    )
  })

  it('a row is known by its generation', () => {
    fc.assert(
      fc.property(anyFields('ROW'), fields => {
        const word = Number(signed('ROW', build('ROW', fields)))
        expect(windows.rowOf(word, number(fields.generation))).toBe(number(fields.failures))
      }),
    )
  })

  it('stamp and turn are the two halves of a bucket number', () => {
    const stampBits = BigInt(windows.STAMP_BITS)
    const [turns] = packingOf('TURN').fields
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 44n - 1n), bucket => {
        expect(BigInt(windows.stampOf(Number(bucket)))).toBe(BigInt.asUintN(30, bucket))
        const rest = BigInt.asUintN(turns?.bits ?? 0, bucket >> stampBits)
        const turn = unsigned(windows.packTurn(7, Number(bucket)))
        expect(turn).toBe(build('TURN', { number: rest, generation: 7n }))
      }),
    )
  })
})

describe('numbers', () => {
  const named = [...CONSTANTS, ...ENUMERATIONS.flatMap(({ values }) => values)]
  const valueNamed = (name: string) => named.find(found => found.name === name)?.value

  it('have names of their own', () => {
    expect(new Set(named.map(({ name }) => name)).size).toBe(named.length)
  })

  it('have the states and kinds that users see', () => {
    const states = ENUMERATIONS.find(({ name }) => name === 'state')?.values
    const names = states?.map(({ name }) => name.toLowerCase().replace('_', '-'))
    expect(names).toEqual(state.STATE_NAMES)
    expect(states?.map(({ value }) => value)).toEqual(state.STATE_NAMES.map((_, index) => index))
    const kinds = [GOOD, FAILED_KIND, SLOW_KIND, SLOW_KIND | FAILED_KIND]
    const described = ['GOOD', 'FAILED', 'SLOW', 'SLOW_FAILED'].map(kind =>
      valueNamed(`KIND_${kind}`),
    )
    expect(described).toEqual(kinds)
    expect(kinds).toHaveLength(KINDS)
  })

  it('keep native threads apart from dead ones and from those of Node', () => {
    const native = { thread: threads.FIRST_NATIVE_THREAD, parent: threads.NO_PARENT }
    const word = threads.packThread(true, 3, native)
    expect(threads.threadOf(word)).toEqual(native)
    expect(threads.isDead(word)).toBe(false)
    expect(threads.isDead(threads.markedDead(word))).toBe(true)
    expect(threads.threadOf(threads.markedDead(word)).parent).toBe(threads.DEAD_PARENT)
    expect(threads.NO_PARENT).toBeGreaterThan(threads.FIRST_NATIVE_THREAD)
  })

  it('have the last tick before the first', () => {
    expect(tick.nextTick(tick.LAST_TICK)).toBe(tick.FIRST_TICK)
    expect(tick.nextTick(tick.LAST_TICK - 1)).toBe(tick.LAST_TICK)
  })
})
