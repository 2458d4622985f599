/**
 * Words of a throttle's record overwritten while two threads' faces call: no call throws, none
 * hangs, and what is published is sound again a round later. Everything follows from the seed.
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CONTROL } from '../../../src/memory/controls.ts'
import { HEADER, LINE_WORDS } from '../../../src/memory/layout.ts'
import type { ThrottleCore } from '../../../src/protocol/throttle.ts'
import { sumCounters } from '../../../src/protocol/totals.ts'
import { damagedValue } from '../../hostile/words.ts'
import { baseSeed, historyCount, Random } from '../../model/random.ts'
import { makeThrottles } from './support.ts'

const REGIONS = historyCount(1_000)
const CALLS = 30
const OPTIONS = {
  k: 2,
  windowMs: 1_000,
  minimumRequestsPerSecond: 0,
  maxRejectionProbability: 0.75,
}

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Whatever it answers is a legal answer. */
function callOnce(core: ThrottleCore, random: Random): void {
  const permit = core.tryAcquire()
  if (permit !== 0 && permit !== -1) expect.fail(`${permit} is no answer`)
  const what = random.between(0, 4)
  if (what === 0) core.recordSuccess(permit)
  else if (what < 4) core.recordFailure(permit)
  else core.release(permit)
  const { rejectionProbability } = core.look()
  for (const probability of [rejectionProbability, core.published()]) {
    if (!(probability >= 0 && probability <= 0.75)) expect.fail(`probability ${probability}`)
  }
  sumCounters(core.cell)
}

it(`${REGIONS} records with damage of every kind: no call throws, none hangs`, () => {
  const base = baseSeed('throttle, hostile')
  let noticed = 0
  for (let seed = base; seed < base + REGIONS; seed++) {
    const random = new Random(seed)
    const { region, clock, cores } = makeThrottles(OPTIONS, [seed | 1, seed | 3, seed | 5], true)
    const { memory } = region
    const control = cores[0]?.cell
    if (control === undefined) throw new Error('no control')
    const words = control.shape.lines * LINE_WORDS
    const own = [
      CONTROL.STATE,
      CONTROL.PROBABILITY,
      2 * CONTROL.DUTY_LONG,
      2 * CONTROL.DUTY_LONG + 1,
    ]
    for (let round = 0; round < 4; round++) {
      const offset = random.chance(0.5) ? random.pick(own) : random.between(0, words - 1)
      const at = control.record + offset
      memory[at] = damagedValue(random, memory, at)
      for (let call = 0; call < CALLS; call++) {
        callOnce(random.pick(cores), random)
        if (random.chance(0.1)) clock.advance(random.pick([1, 100, 1_000]))
      }
    }
    noticed += memory[HEADER.DAMAGED] ?? 0
  }
  expect(noticed).toBeGreaterThan(0)
})

it('a damaged probability refuses nobody, is counted, and is gone with the next round', () => {
  const { region, clock, cores } = makeThrottles({ ...OPTIONS, k: 1 }, [0x1234567])
  const [core] = cores
  if (core === undefined) throw new Error('no core')
  const { memory } = region
  const word = core.cell.record + CONTROL.PROBABILITY
  for (let call = 0; call < 50; call++) core.recordFailure(0)
  for (const damage of [-1, -(2 ** 31) + 1, 0xffffff, 2 ** 31 - 1]) {
    memory[word] = damage
    const before = memory[HEADER.DAMAGED] ?? 0
    expect(core.published()).toBe(0)
    for (let call = 0; call < 100; call++) expect(core.tryAcquire()).toBe(0)
    expect(memory[HEADER.DAMAGED]).toBe(before + 100)
    clock.advance(100)
    core.recordFailure(0)
    expect(core.published()).toBeGreaterThan(0.74)
  }
})

it('a forged probability of another round refuses nobody', () => {
  const { region, cores } = makeThrottles(OPTIONS, [0x1234567])
  const [core] = cores
  if (core === undefined) throw new Error('no core')
  for (let call = 0; call < 50; call++) core.recordSuccess(0)
  region.memory[core.cell.record + CONTROL.PROBABILITY] = (77 << 24) | 0xb00000
  for (let call = 0; call < 1_000; call++) expect(core.tryAcquire()).toBe(0)
})
