/**
 * Random histories against the reference model, each step done by C or by JavaScript: the same
 * answers, the same snapshot after every step, whoever did it.
 *
 * Besides what the histories say, C's threads leave and join in between, and in every other history
 * permits are settled by another thread than the one that took them.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'
import { type History, randomHistory } from '../../test/model/histories.ts'
import { type Call, type Difference, play, report, type Subject } from '../../test/model/play.ts'
import { baseSeed, historyCount, Random } from '../../test/model/random.ts'
import type { Look } from '../../test/model/reference-types.ts'
import { TestThread } from '../../test/model/threads.ts'
import { missing, type NativeBreaker, type NativeMember, NativeRegion } from './addon.ts'
import { needAddon } from './support.ts'

const HISTORIES = historyCount(1_500)
/** C, C, JavaScript on this thread, and, in some histories, JavaScript in a worker. */
const NATIVES = 2
const MAIN = 2
const WORKER = 3

beforeEach(needAddon)

let worker: TestThread | undefined
beforeAll(async () => {
  if (missing === undefined) worker = await TestThread.start()
})
afterAll(async () => {
  await worker?.stop()
})

it(
  `${HISTORIES} random histories of C and JavaScript end as section 2 says`,
  () => {
    const base = baseSeed('native histories')
    for (let seed = base; seed < base + HISTORIES; seed += 1) {
      const history = randomHistory(seed, hasWorker(seed) ? WORKER + 1 : WORKER)
      if (playOnce(history).differences.length > 0) expect.fail(report(history, playOnce))
    }
  },
  HISTORIES * 100,
)

function hasWorker(seed: number): boolean {
  return seed % 8 === 0
}

function playOnce(history: History): Difference {
  const world = new World(history)
  try {
    return play(history, world)
  } finally {
    world.close()
  }
}

/** A call that may be made by any thread, whoever the history says. */
const SETTLES: readonly string[] = ['recordSuccess', 'recordFailure', 'release']

class World implements Subject {
  readonly #registry: Registry
  readonly #breaker: CircuitBreaker
  readonly #natives: { member: NativeMember; breaker: NativeBreaker }[] = []
  readonly #region: NativeRegion
  readonly #random: Random
  readonly #handsOver: boolean
  readonly #worker: TestThread | undefined
  #looks = 0

  constructor({ seed, startMs, options }: History) {
    // With few slots some threads share the overflow slot: in turn all but one of them.
    const maxThreads = [1, 2, 3, 8][seed % 4] ?? 8
    this.#registry = createRegistry({ clock: 'manual', maxBreakers: 32, maxThreads })
    if (startMs > 0) this.#registry.advance(startMs)
    // C comes first where this thread has given the first slot back.
    const isNativeFirst = seed % 3 === 0
    const maker = this.#registry.breaker('b', options)
    if (isNativeFirst) this.#registry.close()
    this.#region = new NativeRegion(this.#registry.handle.buffer)
    for (let native = 0; native < NATIVES; native += 1) this.#natives.push(this.#joined())
    this.#breaker = maker
    this.#random = new Random(seed)
    this.#handsOver = seed % 2 === 0
    this.#worker = hasWorker(seed) ? worker : undefined
    this.#worker?.ask('attach', { handle: this.#registry.handle, name: 'b' })
  }

  call(thread: number, call: Call): unknown {
    const doer = this.#handsOver && SETTLES.includes(call[0]) ? this.#anyThread() : thread
    if (this.#random.chance(0.05)) this.#rejoin(this.#random.between(0, NATIVES - 1))
    if (doer === WORKER && this.#worker) return this.#worker.ask('call', call)
    const native = this.#natives[doer]?.breaker
    switch (call[0]) {
      case 'tryAcquire':
        return (native ?? this.#breaker).tryAcquire()
      case 'release':
        return (native ?? this.#breaker).release(call[1])
      case 'recordSuccess':
      case 'recordFailure':
        return (native ?? this.#breaker)[call[0]](call[1], call[2])
      case 'advance':
        return this.#registry.advance(call[1])
      case 'forceOpen':
        return this.#breaker.forceOpen(call[1])
      default:
        return this.#breaker[call[0]]()
    }
  }

  look(): Look {
    this.#looks += 1
    const look = this.#lookOf(this.#looks)
    for (const { member, breaker } of this.#natives) {
      // Told as a state, so that it is a difference.
      if (breaker.state !== look.state) {
        return { ...look, state: `${look.state}; C says ${breaker.state}` as Look['state'] }
      }
      expect(member.now()).toBe(this.#registry.now())
    }
    return look
  }

  #lookOf(turn: number): Look {
    if (this.#worker && turn % 2 === 0) return this.#worker.ask('look') as Look
    return {
      state: this.#breaker.state,
      canExecute: this.#breaker.canExecute(),
      retryAfterMs: this.#breaker.retryAfterMs(),
      snapshot: this.#breaker.snapshot(),
    }
  }

  #anyThread(): number {
    return this.#random.between(0, this.#worker ? WORKER : MAIN)
  }

  #joined(): { member: NativeMember; breaker: NativeBreaker } {
    const member = this.#region.join()
    return { member, breaker: member.find('b') }
  }

  #rejoin(native: number): void {
    this.#natives[native]?.member.leave()
    this.#natives[native] = this.#joined()
  }

  close(): void {
    this.#worker?.ask('attach', {})
    this.#registry.close()
  }
}
