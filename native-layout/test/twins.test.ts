/**
 * Twins: two copies of one region, one used by JavaScript and one by C, call for call. Not only are
 * the answers the same: after each history every word of every breaker is, and of the journal, but
 * for who made a transition.
 */
import { beforeEach, expect, it } from 'vitest'
import { attachRegistry, createRegistry } from '../../src/index.ts'
import { HEADER, JOURNAL, JOURNAL_ENTRIES, JOURNAL_LONGS } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { BY_HAND, makerOf } from '../../src/memory/words/journal.ts'
import { FIRST_NATIVE_THREAD, THREAD_BITS } from '../../src/memory/words/threads.ts'
import { type History, randomHistory, type Step } from '../../test/model/histories.ts'
import { baseSeed, historyCount, Random } from '../../test/model/random.ts'
import { NativeRegion } from './addon.ts'
import { jittered, otherOptions, type Player, playOn } from './play-on.ts'
import { needAddon } from './support.ts'

const HISTORIES = historyCount(800)

beforeEach(needAddon)

it(
  `${HISTORIES} random histories leave the same words, whoever makes the calls`,
  () => {
    const base = baseSeed('twins')
    for (let seed = base; seed < base + HISTORIES; seed += 1) {
      expect(differencesAfter(seed), `BUSBAR_SEED=${seed}`).toEqual([])
    }
  },
  HISTORIES * 100,
)

/** What differs between the twins: answers of a step, or words in the end. */
function differencesAfter(seed: number): string[] {
  const history = randomHistory(seed, 1)
  const twins = new Twins(history)
  try {
    for (const [index, step] of history.steps.entries()) {
      const [js, c] = twins.play(step)
      if (js?.join() !== c?.join()) return [`step ${index} ${JSON.stringify(step)}: ${js} ${c}`]
    }
    return twins.differingWords()
  } finally {
    twins.close()
  }
}

/** One half of the pair. */
interface Twin extends Player {
  readonly buffer: SharedArrayBuffer
}

/** The first words of BY, the lower half of which says who made the transition. */
const BY_WORD = JOURNAL.BY_LONG * 2
const JOURNAL_WORDS = JOURNAL_LONGS * 2
const MAKER = 2 ** Number(THREAD_BITS) - 1

class Twins {
  readonly #registries
  readonly #twins: readonly Twin[]
  readonly #arena: number
  readonly #journal: number
  readonly #random: Random

  constructor({ seed, options, startMs }: History) {
    this.#random = new Random(seed)
    const registry = createRegistry({ clock: 'manual', maxBreakers: 16, maxThreads: 2 })
    if (startMs > 0) registry.advance(startMs)
    const breaker = registry.breaker('b', jittered(seed, options))
    const { buffer } = registry.handle
    const copy = new SharedArrayBuffer(buffer.byteLength)
    new Uint8Array(copy).set(new Uint8Array(buffer))
    const { shape } = attachRegion(registry.handle)
    // In the copy the first slot is free, so that C has the shard that JavaScript has in the other.
    new BigInt64Array(copy).fill(0n, shape.threadsLong, shape.threadsLong + 3)
    const caller = new NativeRegion(copy).join().find('b')
    const other = attachRegistry({ busbar: 1, buffer: copy })
    this.#arena = shape.breakers.arena
    this.#journal = shape.journalLong * 2
    this.#registries = [registry, other]
    this.#twins = [
      { buffer, caller: breaker, breaker, permits: new Map() },
      { buffer: copy, caller, breaker: other.breaker('b'), permits: new Map() },
    ]
  }

  play(step: Step): unknown[][] {
    const options = otherOptions(this.#random)
    if (options !== undefined) for (const { breaker } of this.#twins) breaker.configure(options)
    if (step.do === 'advance') {
      for (const registry of this.#registries) registry.advance(step.ms)
      return []
    }
    return this.#twins.map(twin => [...playOn(twin, step), twin.caller.state])
  }

  differingWords(): string[] {
    const [a, b] = this.#twins.map(({ buffer }) => new Int32Array(buffer))
    if (a === undefined || b === undefined) return ['no twins']
    const differing: string[] = []
    for (let word = 0; word < a.length; word++) {
      const [js = 0, c = 0] = [a[word], b[word]]
      if (js === c || !this.#isCompared(word)) continue
      if (this.#saysMaker(word) && areMakers(js, c)) continue
      differing.push(`word ${word}: JavaScript wrote ${js}, C ${c}`)
    }
    return differing
  }

  #isCompared(word: number): boolean {
    const isJournal =
      word >= this.#journal && word < this.#journal + JOURNAL_ENTRIES * JOURNAL_WORDS
    return word === HEADER.JOURNAL_HEAD || isJournal || word >= this.#arena
  }

  #saysMaker(word: number): boolean {
    return word < this.#arena && (word - this.#journal) % JOURNAL_WORDS === BY_WORD
  }

  close(): void {
    for (const registry of this.#registries) registry.close()
  }
}

/** Whether the two say, and nothing else, that JavaScript made the one and C the other. */
function areMakers(js: number, c: number): boolean {
  const isNative = (makerOf(c) ?? 0) >= FIRST_NATIVE_THREAD && (c & BY_HAND) === 0
  return isNative && makerOf(js) === 0 && (js | MAKER) === (c | MAKER)
}
