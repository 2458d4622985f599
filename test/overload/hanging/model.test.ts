/**
 * Random histories of two threads, one step after the other, against the naive reference: the same
 * permits, states and windows after every step.
 */
import { expect, it } from 'vitest'
import { OPTION } from '../../../src/memory/layout.ts'
import { ageStepMs } from '../../../src/memory/words/ages.ts'
import { CLOSED, DISABLED, METRICS_ONLY, OPEN } from '../../../src/memory/words/state.ts'
import type { SharedOptions } from '../../../src/options/types.ts'
import type { Core } from '../../../src/protocol/breaker.ts'
import { makeCore } from '../../../src/protocol/breaker-aged.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import {
  claimSlot,
  freeSlot,
  markDead,
  slotWord,
  useOverflow,
} from '../../../src/protocol/slots.ts'
import { reapMarked } from '../../../src/threads/deaths.ts'
import { handOverBreakers } from '../../../src/threads/membership.ts'
import { type World, world } from '../../explore/build.ts'
import { baseSeed, historyCount, Random } from '../../model/random.ts'
import { type Call, Reference, type State } from './reference.ts'

const HISTORIES = historyCount(400)
const STEPS = 300
const FACES = 2

const TARGETS: Partial<Record<State, number>> = {
  closed: CLOSED,
  open: OPEN,
  disabled: DISABLED,
  'metrics-only': METRICS_ONLY,
}

const COVERED = [
  'opened by an ask while calls hang',
  'opened by an outcome while calls hang',
  'opened by a release',
  'kept closed while calls hang',
  'a hanging call settled',
  'calls of a dead thread hung',
  'a closed registry settled a call that hung',
  'a thread left while its calls hung',
  'calls hung while metrics-only',
  'a trial hung',
]

function optionsOf(random: Random): SharedOptions {
  return {
    countHangingCalls: true,
    slidingWindow: {
      type: 'time',
      durationMs: random.pick([100, 400, 1000]),
      buckets: random.pick([1, 4, 10]),
    },
    slowCallDurationThresholdMs: random.pick([7, 33, 100, 160]),
    slowCallRateThreshold: random.pick([0.4, 0.8, 1]),
    failureRateThreshold: random.pick([0.3, 0.5, 1]),
    minimumNumberOfCalls: random.pick([1, 3, 6]),
    waitDurationInOpenStateMs: random.pick([20, 150]),
    permittedNumberOfCallsInHalfOpenState: 1,
    trialTimeoutMs: random.pick([50, 60_000]),
  }
}

interface Held {
  readonly call: Call
  readonly permit: number
  readonly core: Core
  readonly beganAt: number
}

class History {
  readonly #random: Random
  readonly #made: World
  readonly #reference: Reference
  readonly #covered: Set<string>
  readonly #cores: Core[] = []
  readonly #slots = [1, 2]
  readonly #closed = new Set<number>()
  readonly #left = new Set<number>()
  #held: Held[] = []
  #threads = 10

  constructor(seed: number, covered: Set<string>) {
    this.#random = new Random(seed)
    this.#made = world(optionsOf(this.#random), FACES, FACES)
    this.#reference = new Reference(this.#made.cell.numbers)
    this.#covered = covered
    for (const slot of this.#slots) this.#cores.push(makeCore(this.#made.cell, slot))
  }

  #core(face: number): Core {
    return this.#cores[face] as Core
  }

  step(): string {
    const face = this.#random.between(0, FACES - 1)
    const what = this.#random.weighted({
      time: 30,
      ask: 40,
      settle: 26,
      command: 1.5,
      die: 0.6,
      close: 0.3,
      leave: 0.3,
    })
    const before = this.#reference.state
    const { hanging } = this.#reference
    const did = this[what](face)
    this.#compare(`${what} ${face} ${did}`)
    this.#note(what, before, hanging)
    return `${what} ${face} ${did}`
  }

  #note(what: string, before: State, hanging: number): void {
    const { state } = this.#reference
    const opened = before === 'closed' && state === 'open'
    if (opened && what === 'ask' && hanging > 0)
      this.#covered.add('opened by an ask while calls hang')
    if (opened && what === 'settle' && hanging > 0) {
      this.#covered.add('opened by an outcome while calls hang')
    }
    if (state === 'closed' && hanging > 2) this.#covered.add('kept closed while calls hang')
    if (state === 'metrics-only' && hanging > 0) this.#covered.add('calls hung while metrics-only')
  }

  time(): string {
    const { numbers } = this.#made.cell
    const slowMs = numbers[OPTION.SLOW_DURATION_MS] as number
    const bucketMs = (numbers[OPTION.WINDOW_LENGTH] as number) / (numbers[OPTION.BUCKETS] as number)
    const stepMs = ageStepMs(slowMs)
    const toStep = this.#untilNextStepMs()
    const steps = [stepMs, 3 * stepMs, 17 * stepMs, toStep, toStep - 0.001]
    return this.#advance(this.#random.pick([0.001, 0.3, ...steps, slowMs, bucketMs]))
  }

  /** In whole microseconds, as time goes here: the step has begun by then. */
  #untilNextStepMs(): number {
    const stepMs = ageStepMs(this.#made.cell.numbers[OPTION.SLOW_DURATION_MS] as number)
    const { now } = this.#reference
    return Math.ceil(((Math.floor(now / stepMs) + 1) * stepMs - now) * 1000) / 1000
  }

  #advance(ms: number): string {
    const micros = Math.max(1, Math.round(ms * 1000))
    this.#made.clock.advance(micros / 1000)
    this.#reference.now = this.#made.clock.now()
    return String(micros)
  }

  ask(face: number): string {
    const core = this.#core(face)
    const permit = core.tryAcquire()
    const call = this.#reference.ask(face)
    expect(permit >= 0, 'admitted').toBe(call !== undefined)
    if (call !== undefined) this.#held.push({ call, permit, core, beganAt: this.#reference.now })
    return String(permit)
  }

  settle(): string {
    if (this.#held.length === 0) return 'nothing'
    const held = this.#random.pick(this.#held)
    this.#held = this.#held.filter(other => other !== held)
    const { call, permit, core, beganAt } = held
    const before = this.#reference.state
    const { hanging, now } = this.#reference
    const durationMs = this.#random.chance(0.9) ? now - beganAt : 0
    const outcome = [true, false, undefined][this.#random.between(0, 2)]
    if (call.isTrial && durationMs > (this.#made.cell.numbers[OPTION.SLOW_DURATION_MS] as number)) {
      this.#covered.add('a trial hung')
    }
    const wasClosed = this.#closed.has(call.face)
    const counted = this.#reference.settle(call, outcome, durationMs)
    if (outcome === undefined) core.release(permit)
    else if (outcome) expect(core.recordFailure(permit, durationMs), 'counted').toBe(counted)
    else expect(core.recordSuccess(permit, durationMs), 'counted').toBe(counted)
    const fewer = this.#reference.hanging < hanging && this.#reference.state === before
    if (fewer) this.#covered.add('a hanging call settled')
    if (fewer && wasClosed) this.#covered.add('a closed registry settled a call that hung')
    if (outcome === undefined && before === 'closed' && this.#reference.state === 'open') {
      this.#covered.add('opened by a release')
    }
    return `${permit} ${outcome}`
  }

  command(face: number): string {
    const state = this.#random.pick(['closed', 'open', 'metrics-only', 'disabled'] as const)
    const target = TARGETS[state] as number
    const plain = plainCommand(target)
    const from = state === 'open' ? [CLOSED, 2, METRICS_ONLY] : plain.from
    carryOutCommand(this.#core(face), { ...plain, from })
    this.#reference.command(state)
    return state
  }

  /** Ends, marked and reaped by another thread; a new thread takes the slot. */
  die(face: number): string {
    const { region, cell } = this.#made
    const slot = this.#slots[face] as number
    const hung = this.#reference.hanging
    if (this.#left.has(face)) {
      this.#newcomer(face)
      return 'replaced'
    }
    markDead(region.memory, region.shape, this.#threadOf(slot))
    if (this.#random.chance(0.5)) {
      // Marked and not yet reaped: its calls are nobody's already.
      this.#reference.die(face)
      expect(snapshotOf(this.#core(1 - face)).window.hangingCalls).toBe(this.#reference.hanging)
    }
    reapMarked(region, () => ({ cells: [cell], controls: [] }))
    this.#reference.die(face)
    if (this.#reference.hanging < hung) this.#covered.add('calls of a dead thread hung')
    this.#held = this.#held.filter(({ call }) => call.face !== face)
    this.#newcomer(face)
    // That calls have vanished is noticed when the next step begins.
    this.#advance(this.#untilNextStepMs())
    return 'dead'
  }

  /** As if the thread had two registries and closed this one. */
  close(face: number): string {
    useOverflow(this.#made.memory)
    this.#core(face).moveToOverflow()
    this.#reference.close(face)
    this.#closed.add(face)
    return 'closed'
  }

  leave(face: number): string {
    const { region, cell, memory } = this.#made
    const slot = this.#slots[face] as number
    if (this.#left.has(face)) return 'left before'
    const hung = this.#reference.hanging
    useOverflow(memory)
    handOverBreakers(slot, [cell])
    freeSlot(memory, region.shape, slot, slotWord(memory, region.shape, slot))
    this.#core(face).moveToOverflow()
    this.#reference.leave(face)
    this.#left.add(face)
    if (this.#reference.hanging < hung) this.#covered.add('a thread left while its calls hung')
    this.#advance(this.#untilNextStepMs())
    return 'left'
  }

  #threadOf(slot: number): number {
    const { region } = this.#made
    return Number((slotWord(region.memory, region.shape, slot) >> 26n) & ((1n << 26n) - 1n))
  }

  #newcomer(face: number): void {
    const { region, cell } = this.#made
    this.#threads += 1
    const slot = claimSlot(region.memory, region.shape, { thread: this.#threads, parent: 0 })
    this.#slots[face] = slot
    this.#cores[face] = makeCore(cell, slot)
    this.#closed.delete(face)
    this.#left.delete(face)
    this.#reference.join(face)
  }

  #compare(what: string): void {
    const { state, generation, window } = snapshotOf(this.#core(0))
    const { calls, failures, slowCalls, slowFailures, hangingCalls } = window
    expect({
      ...{ what, state, generation, calls, failures, slowCalls, slowFailures },
      hangingCalls,
    }).toEqual({
      ...{ what, state: this.#reference.state, generation: this.#reference.generation },
      ...this.#reference.window(),
      hangingCalls: this.#reference.hanging,
    })
  }
}

it(`${HISTORIES} random histories on two threads`, { timeout: HISTORIES * 200 }, () => {
  const base = baseSeed('hanging')
  const covered = new Set<string>()
  for (let seed = base; seed < base + HISTORIES; seed += 1) {
    const history = new History(seed, covered)
    const done: string[] = []
    try {
      for (let step = 0; step < STEPS; step += 1) done.push(history.step())
    } catch (error) {
      const last = done.slice(-25).join('\n')
      throw new Error(`BUSBAR_SEED=${seed}, step ${done.length}, after\n${last}`, { cause: error })
    }
  }
  expect(COVERED.filter(mark => !covered.has(mark))).toEqual([])
})
