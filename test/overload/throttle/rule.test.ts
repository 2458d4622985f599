/** The formula against values worked out by hand, and what stands in the published word. */
import { expect, it } from 'vitest'
import {
  isLegalRejection,
  isOfRound,
  packRejection,
  partsOf,
  probabilityOf,
  rejectionOf,
} from '../../../src/memory/words/throttle.ts'
import { Draws } from '../../../src/protocol/throttle-draw.ts'
import { rejectionProbability } from '../../../src/protocol/throttle-rule.ts'

const RULE = { k: 2, windowMs: 10_000, minimumPerSecond: 0, maxProbability: 1 }

it.each([
  // k, requests, accepts, probability
  [2, 0, 0, 0],
  [2, 1, 0, 1 / 2],
  [2, 100, 100, 0],
  [2, 100, 50, 0],
  [2, 100, 49, 2 / 101],
  [2, 100, 0, 100 / 101],
  [2, 150, 50, 50 / 151],
  [1, 100, 99, 1 / 101],
  [1, 100, 100, 0],
  [1.1, 1_000, 500, 450 / 1_001],
  [1_000, 999, 1, 0],
  [1_000, 1_001, 1, 1 / 1_002],
])('k = %d: of %d requests %d accepted give %d', (k, requests, accepts, probability) => {
  expect(rejectionProbability({ ...RULE, k }, requests, accepts)).toBeCloseTo(probability, 12)
})

it.each([
  // requests in 10 s, minimum a second, probability
  [99, 10, 0],
  [100, 10, 100 / 101],
  [9, 1, 0],
  [10, 1, 10 / 11],
  [1, 0, 1 / 2],
])('%d requests in 10 s, at least %d a second: %d', (requests, minimumPerSecond, probability) => {
  expect(rejectionProbability({ ...RULE, minimumPerSecond }, requests, 0)).toBe(probability)
})

it('refuses with maxRejectionProbability at the most', () => {
  const rule = { ...RULE, maxProbability: 0.75 }
  expect(rejectionProbability(rule, 1_000, 0)).toBe(0.75)
  expect(rejectionProbability(rule, 1, 0)).toBe(0.5)
})

it('is below 1 whatever is counted, as a number and as parts', () => {
  for (const requests of [1, 2 ** 24, 2 ** 32, 2 ** 45]) {
    const probability = rejectionProbability(RULE, requests, 0)
    expect(probability).toBeLessThan(1)
    expect(partsOf(probability)).toBeLessThan(2 ** 24)
  }
  expect(partsOf(1)).toBe(2 ** 24 - 1)
})

it('the word: 7 bits of the round and 24 of the probability', () => {
  for (const fence of [0, 1, 127, 128, 8191]) {
    for (const parts of [0, 1, 2 ** 23, 2 ** 24 - 1]) {
      const word = packRejection(fence, parts)
      expect(word).toBe(word | 0)
      expect(word).toBeGreaterThanOrEqual(0)
      expect(rejectionOf(word)).toBe(parts)
      expect(isOfRound(word, fence)).toBe(true)
      expect(isOfRound(word, fence + 1)).toBe(false)
      expect(isLegalRejection(word, parts)).toBe(true)
      expect(isLegalRejection(word, parts - 1)).toBe(false)
    }
  }
  expect(isLegalRejection(-1, 2 ** 24 - 1)).toBe(false)
  expect(probabilityOf(partsOf(0.25))).toBe(0.25)
})

it('draws are whole numbers of 24 bits, as often below each tenth', () => {
  const draws = new Draws(0x2545f491)
  const tenths = new Array<number>(10).fill(0)
  for (let draw = 0; draw < 100_000; draw++) {
    const number = draws.next()
    if (number !== (number & 0xffffff)) expect.fail(`${number} is none of 24 bits`)
    const tenth = Math.floor((number * 10) / 2 ** 24)
    tenths[tenth] = (tenths[tenth] ?? 0) + 1
  }
  // 10,000 each; the standard deviation is 95.
  for (const times of tenths) expect(Math.abs(times - 10_000)).toBeLessThan(500)
})
