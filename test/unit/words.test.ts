/** Packed words: what goes in comes out, whatever stands in the neighbouring bits. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  editionOf,
  generationOf,
  isNextOf,
  isOfEdition,
  nextGeneration,
  nextStateOf,
  packNext,
  packState,
  stateOf,
} from '../../src/memory/words/state.ts'
import {
  definitionOf,
  editionOfEntry,
  epochOf,
  isLive,
  linesOf,
  nextEdition,
  nextSequence,
  packEntry,
  packMaking,
  packThread,
  threadOf,
  unpackMaking,
} from '../../src/memory/words/threads.ts'
import {
  highOf,
  isTaggedOf,
  isTimedOf,
  lowOf,
  packTagged,
  packTimed,
  timeOf,
} from '../../src/memory/words/timed.ts'
import {
  FIRST_TRIAL_PERMIT,
  packPlace,
  packTrialPermit,
  unpackPlace,
  unpackTrialPermit,
} from '../../src/memory/words/trials.ts'
import {
  ageOfEpoch,
  ageOfStamp,
  epochGenerationOf,
  hashOfEpoch,
  holdsMinimumOf,
  isOfLapBefore,
  isSameStock,
  MAX_STOCK,
  packEpoch,
  packRing,
  packRow,
  packTurn,
  restock,
  ringKindOf,
  rowOf,
  stampOf,
  stockOf,
} from '../../src/memory/words/windows.ts'

const GENERATIONS = 2 ** 22
const generation = fc.integer({ min: 0, max: GENERATIONS - 1 })
const state = fc.integer({ min: 0, max: 6 })
const edition = fc.integer({ min: 0, max: 63 })
/** Whole microseconds up to 70 years, in ms. */
const time = fc.integer({ min: 0, max: 2_200_000_000_000_000 }).map(micros => micros / 1000)
const claim = fc.integer({ min: 0, max: 2 ** 22 - 1 })
const uint32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })

describe('STATE and NEXT', () => {
  it('hold generation, state and time', () => {
    fc.assert(
      fc.property(generation, state, edition, time, (g, s, e, t) => {
        const word = packState(g, s, e)
        expect([generationOf(word), stateOf(word), editionOf(word)]).toEqual([g, s, e])
        expect(packState(g, s, e + 64)).toBe(word)
        expect([isOfEdition(word, e + 640), isOfEdition(word, e + 1)]).toEqual([true, false])
        expect(word).toBeGreaterThanOrEqual(0)
        const next = packNext(g, s, t)
        expect([isNextOf(next, g), nextStateOf(next), timeOf(next)]).toEqual([true, s, t])
        expect(isNextOf(next, nextGeneration(g))).toBe(false)
        expect(BigInt.asIntN(64, next)).toBe(next)
      }),
    )
  })

  it('wrap after the last generation', () => {
    expect(nextGeneration(GENERATIONS - 1)).toBe(0)
  })

  it.each([
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [2 ** 60, Number.POSITIVE_INFINITY],
    [0, 0],
    [0.001, 0.001],
    [2_592_000_000, 2_592_000_000],
  ])('a time of %d reads back as %d', (given, read) => {
    expect(timeOf(packNext(3, 1, given))).toBe(read)
  })
})

describe('TIMED and TAGGED', () => {
  it('hold a tag and a time or 32 bits', () => {
    fc.assert(
      fc.property(uint32, time, uint32, (tag, t, value) => {
        const timed = packTimed(tag, t)
        expect([isTimedOf(timed, tag), timeOf(timed)]).toEqual([true, t])
        expect(isTimedOf(timed, tag + 1)).toBe(false)
        const tagged = packTagged(tag, value)
        expect([isTaggedOf(tagged, tag), highOf(tagged), lowOf(tagged)]).toEqual([true, tag, value])
        expect(BigInt.asIntN(64, tagged)).toBe(tagged)
      }),
    )
  })
})

describe('PLACE and permits', () => {
  it('hold generation, kind, claim and slot', () => {
    const kind = fc.integer({ min: 0, max: 3 })
    const slot = fc.integer({ min: 0, max: 1023 })
    fc.assert(
      fc.property(generation, kind, claim, slot, (g, k, c, s) => {
        const word = packPlace(g, k, c, s)
        expect(unpackPlace(word)).toEqual({ generation: g, kind: k, claim: c, slot: s })
        expect(BigInt.asIntN(64, word)).toBe(word)
      }),
    )
  })

  it("trials' permits are safe integers above every closed permit", () => {
    fc.assert(
      fc.property(generation, fc.integer({ min: 0, max: 63 }), claim, (g, place, c) => {
        const permit = packTrialPermit(g, place, c)
        expect(Number.isSafeInteger(permit)).toBe(true)
        expect(permit).toBeGreaterThanOrEqual(FIRST_TRIAL_PERMIT)
        expect(unpackTrialPermit(permit)).toEqual({ place, claim: c, generationLow: g % 2 ** 24 })
      }),
    )
  })
})

describe('THREAD and ENTRY', () => {
  it('hold who and where', () => {
    const id = fc.integer({ min: 0, max: 2 ** 26 - 1 })
    const epoch = fc.integer({ min: 0, max: 2047 })
    fc.assert(
      fc.property(fc.boolean(), epoch, id, id, (live, e, thread, parent) => {
        const word = packThread(live, e, { thread, parent })
        expect([isLive(word), epochOf(word), threadOf(word)]).toEqual([live, e, { thread, parent }])
      }),
    )
    expect(packThread(false, 0, { thread: 0, parent: 0 })).toBe(0n)
    const entry = packEntry(2 ** 20 - 1, 7, 2 ** 24 - 1)
    const read = [editionOfEntry(entry), definitionOf(entry), linesOf(entry)]
    expect(read).toEqual([2 ** 20 - 1, 7, 2 ** 24 - 1])
    expect([editionOfEntry(0n), definitionOf(0n)]).toEqual([0, -1])
    expect([nextEdition(2 ** 20 - 1), nextSequence(2 ** 26 - 1)]).toEqual([0, 0])
    const making = { sequence: 2 ** 26 - 1, definition: 131_072, entry: 65_535 }
    expect(unpackMaking(packMaking(making))).toEqual(making)
    expect(unpackMaking(0n)).toEqual({ sequence: 0, definition: -1, entry: 0 })
  })
})

describe('window words', () => {
  it('STOCK counts down through zero and starts anew from any word', () => {
    const amount = fc.integer({ min: 1, max: MAX_STOCK })
    fc.assert(
      fc.property(fc.integer(), amount, fc.boolean(), (old, left, holds) => {
        const word = restock(old, left, holds)
        expect([stockOf(word), holdsMinimumOf(word)]).toEqual([left, holds])
        expect(stockOf(word - 1)).toBe(left - 1)
        const below = word - left - 100
        expect([stockOf(below), holdsMinimumOf(below)]).toEqual([-100, holds])
        expect([isSameStock(word, below), isSameStock(word, old)]).toEqual([true, false])
        expect(isSameStock(restock(word, left, holds), word)).toBe(false)
        expect(word | 0).toBe(word)
      }),
    )
    expect(stockOf(0)).toBeLessThan(0)
  })

  it('RING and ROW belong to one generation', () => {
    const kind = fc.integer({ min: 0, max: 3 })
    const lap = fc.integer({ min: 0, max: 511 })
    fc.assert(
      fc.property(generation, lap, kind, fc.integer({ min: 0, max: 4095 }), (g, l, k, row) => {
        const ring = packRing(g, l, k)
        expect(ringKindOf(ring, g, l)).toBe(k)
        expect(ringKindOf(ring, g + 1, l)).toBe(-1)
        expect(ringKindOf(ring, g, l + 1)).toBe(-1)
        expect([
          isOfLapBefore(ring, l),
          isOfLapBefore(ring, l + 1),
          isOfLapBefore(ring, l + 513),
          isOfLapBefore(ring, l + 2),
        ]).toEqual([false, true, true, false])
        expect([rowOf(packRow(g, row), g), rowOf(packRow(g, row), g + 1)]).toEqual([row, 0])
      }),
    )
    expect(ringKindOf(0, 0, 0)).toBe(-1)
    expect(isOfLapBefore(0, 1)).toBe(false)
  })

  it('STAMP and EPOCH tell age by wrapped difference', () => {
    const number = fc.integer({ min: 1000, max: 2 ** 45 })
    const steps = fc.integer({ min: -1000, max: 1000 })
    fc.assert(
      fc.property(number, steps, generation, (n, step, g) => {
        expect(ageOfStamp(stampOf(n), n + step)).toBe(step)
        const epoch = packEpoch(g, n)
        expect(ageOfEpoch(epoch, n + step)).toBe(step)
        expect(epochGenerationOf(epoch)).toBe(g)
        expect(BigInt.asIntN(64, epoch)).toBe(epoch)
        expect(hashOfEpoch(epoch)).not.toBe(hashOfEpoch(packEpoch(g, n + 1)))
        expect(hashOfEpoch(epoch)).not.toBe(hashOfEpoch(packEpoch(nextGeneration(g), n)))
      }),
    )
  })

  it('TURN tells apart what STAMP does not', () => {
    expect(stampOf(7)).toBe(stampOf(7 + 2 ** 30))
    expect(packTurn(5, 7)).not.toBe(packTurn(5, 7 + 2 ** 30))
    expect(packTurn(2 ** 28 - 1, 15 * 2 ** 30) | 0).toBe(packTurn(2 ** 28 - 1, 15 * 2 ** 30))
  })
})
