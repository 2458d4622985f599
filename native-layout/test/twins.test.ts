/**
 * Twins: two copies of one region, one used by JavaScript and one by C, call for call. Not only are
 * the answers the same: after each history every word of every breaker is.
 */
import { beforeEach, expect, it } from 'vitest'
import { attachRegistry, type CircuitBreaker, createRegistry } from '../../src/index.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { type History, randomHistory, type Step } from '../../test/model/histories.ts'
import { baseSeed, historyCount } from '../../test/model/random.ts'
import { type NativeBreaker, NativeRegion } from './addon.ts'
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

/** One half of the pair: whose calls `caller` makes, and JavaScript's hands on that region. */
interface Twin {
  readonly buffer: SharedArrayBuffer
  readonly caller: CircuitBreaker | NativeBreaker
  readonly breaker: CircuitBreaker
  readonly permits: Map<number, number>
}

const RECORD = { success: 'recordSuccess', failure: 'recordFailure' } as const

class Twins {
  readonly #registries
  readonly #twins: readonly Twin[]
  readonly #arena: number

  constructor({ seed, options, startMs }: History) {
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
    this.#arena = shape.arena
    this.#registries = [registry, other]
    this.#twins = [
      { buffer, caller: breaker, breaker, permits: new Map() },
      { buffer: copy, caller, breaker: other.breaker('b'), permits: new Map() },
    ]
  }

  play(step: Step): unknown[][] {
    if (step.do === 'advance') {
      for (const registry of this.#registries) registry.advance(step.ms)
      return []
    }
    return this.#twins.map(twin => [...playOn(twin, step), twin.caller.state])
  }

  differingWords(): string[] {
    const [a, b] = this.#twins.map(({ buffer }) => new Int32Array(buffer).subarray(this.#arena))
    if (a === undefined || b === undefined) return ['no twins']
    return Array.from(a.keys())
      .filter(word => a[word] !== b[word])
      .map(word => `word ${word}: JavaScript wrote ${a[word]}, C ${b[word]}`)
  }

  close(): void {
    for (const registry of this.#registries) registry.close()
  }
}

/** Every other history with a wait that is partly random: drawn from the seed, so the same here. */
function jittered(seed: number, options: History['options']) {
  const wait = options.waitDurationInOpenStateMs
  if (seed % 2 === 0 || wait === undefined) return options
  const plain = typeof wait === 'number' ? { initialMs: wait } : wait
  return { ...options, waitDurationInOpenStateMs: { ...plain, jitter: 0.5 } }
}

function playOn({ caller, breaker, permits }: Twin, step: Step): number[] {
  switch (step.do) {
    case 'acquire': {
      const permit = caller.tryAcquire()
      if (permit >= 0) permits.set(step.id, permit)
      return [permit]
    }
    case 'settle':
      settle(caller, permits.get(step.of), step)
      return []
    case 'calls': {
      const answers = Array.from({ length: step.times }, () => {
        const permit = caller.tryAcquire()
        settle(caller, permit < 0 ? undefined : permit, step)
        return permit
      })
      return answers
    }
    case 'command':
      if (step.op !== 'forceOpen') breaker[step.op]()
      else breaker.forceOpen(step.ttlMs === undefined ? undefined : { ttlMs: step.ttlMs })
      return []
    default:
      return []
  }
}

function settle(
  caller: Twin['caller'],
  permit: number | undefined,
  { how, durationMs }: Step & { do: 'settle' | 'calls' },
): void {
  if (permit === undefined) return
  if (how === 'ignored') caller.release(permit)
  else caller[RECORD[how]](permit, durationMs)
}
