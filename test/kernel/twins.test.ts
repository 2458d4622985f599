/**
 * The same history twice, in JavaScript and in the kernel, on regions that differ in nothing: the
 * same answers, and in the end the same words of breakers and journal, the maker's name included.
 */
import { expect, it } from 'vitest'
import { durationValues, UNMEASURED } from '../../native-layout/test/duration-values.ts'
import { jittered, otherOptions, playOn } from '../../native-layout/test/play-on.ts'
import { attachRegistry, createRegistry, type Registry } from '../../src/index.ts'
import { HEADER, JOURNAL_ENTRIES, JOURNAL_LONGS } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { type History, randomHistory } from '../model/histories.ts'
import { baseSeed, historyCount, Random } from '../model/random.ts'

const HISTORIES = historyCount(800)
const VALUES = 5000
const REMOVALS_PER_STEP = 0.02
const KERNELS = ['js', 'wasm'] as const

/** Both are one region by their seed, so one is to be closed before the other is used. */
const SEED = [0x12345678, 0x0badcafe]

function make(kernel: 'js' | 'wasm'): Registry {
  const options = { clock: 'manual', maxBreakers: 16, maxThreads: 2, keeper: false } as const
  const made = createRegistry({ ...options, kernel })
  made.close()
  const { handle } = made
  new Int32Array(handle.buffer).set(SEED, HEADER.SEED)
  new Float64Array(handle.buffer)[HEADER.ORIGIN_DOUBLE] = 1000
  return attachRegistry(handle)
}

/** The words that a history leaves: head of the journal, journal and arena; the others are 0. */
function wordsOf({ handle }: Registry): Int32Array {
  const { shape } = attachRegion(handle)
  const words = new Int32Array(handle.buffer, 0, shape.words).slice()
  const journal = shape.journalLong * 2
  return words
    .fill(0, 0, HEADER.JOURNAL_HEAD)
    .fill(0, HEADER.JOURNAL_HEAD + 1, journal)
    .fill(0, journal + JOURNAL_ENTRIES * JOURNAL_LONGS * 2, shape.breakers.arena)
}

function play(kernel: 'js' | 'wasm', { seed, options, startMs, steps }: History) {
  const registry = make(kernel)
  if (startMs > 0) registry.advance(startMs)
  const breaker = registry.breaker('b', jittered(seed, options))
  const player = { caller: breaker, breaker, permits: new Map<number, number>() }
  const random = new Random(seed)
  const answers = steps.map(step => {
    const options = otherOptions(random)
    if (options !== undefined) breaker.configure(options)
    // Whoever uses it next makes it anew.
    if (random.chance(REMOVALS_PER_STEP)) registry.remove('b')
    if (step.do === 'advance') registry.advance(step.ms)
    return [...playOn(player, step), breaker.state].join()
  })
  const words = wordsOf(registry)
  registry.close()
  return { answers, words }
}

it(
  `${HISTORIES} random histories leave the same words in both kernels`,
  () => {
    const base = baseSeed('kernel twins')
    for (let seed = base; seed < base + HISTORIES; seed += 1) {
      const history = randomHistory(seed, 1)
      const [js, wasm] = KERNELS.map(kernel => play(kernel, history))
      expect(wasm?.answers, `BUSBAR_SEED=${seed}`).toEqual(js?.answers)
      const differing = js?.words.findIndex((word, at) => word !== wasm?.words[at])
      expect(differing, `BUSBAR_SEED=${seed}`).toBe(-1)
    }
  },
  HISTORIES * 100,
)

it('durations of every magnitude are counted alike', () => {
  const values = durationValues(new Random(baseSeed('kernel durations')), VALUES)
  const [js, wasm] = KERNELS.map(kernel => {
    const registry = make(kernel)
    const breaker = registry.breaker('b')
    breaker.metricsOnly()
    const sums = [...values, ...UNMEASURED].map((ms, index) => {
      if (index % 2 === 0) breaker.recordSuccess(breaker.tryAcquire(), ms)
      else breaker.recordFailure(breaker.tryAcquire(), ms)
      return breaker.snapshot().durations.sumMs
    })
    const all = { sums, ...breaker.durations() }
    registry.close()
    return all
  })
  expect(wasm).toEqual(js)
  expect(wasm?.count).toBe(values.length)
})
