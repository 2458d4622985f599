/**
 * A breaker that counts hanging calls, as naively as can be: a list of calls with the times at
 * which they began, a list of outcomes. One trial while half-open; every face is a thread.
 */

import { OPTION } from '../../../src/memory/layout.ts'
import type { SharedNumbers } from '../../../src/options/shared.ts'

export type State = 'closed' | 'open' | 'half-open' | 'metrics-only' | 'disabled'

interface Outcome {
  readonly bucket: number
  readonly failed: boolean
  readonly slow: boolean
}

export interface Call {
  readonly face: number
  readonly generation: number
  /** The step in which it began; undefined: nobody tells its age. */
  step: number | undefined
  readonly isTrial: boolean
}

export interface WindowCounts {
  calls: number
  failures: number
  slowCalls: number
  slowFailures: number
}

/** Times in the region are whole microseconds. */
function toMicrosecond(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

export class Reference {
  state: State = 'closed'
  generation = 0
  now = 0
  readonly #numbers: SharedNumbers
  readonly #inFlight = new Set<Call>()
  readonly #ageless = new Set<number>()
  #outcomes: Outcome[] = []
  #until = 0
  /** `owned`: its face has a slot, with which the trial is freed. */
  #trial: { call: Call; end: number; owned: boolean } | undefined

  constructor(numbers: SharedNumbers) {
    this.#numbers = numbers
  }

  #option(option: number): number {
    return this.#numbers[option] as number
  }

  get #slowMs(): number {
    return this.#option(OPTION.SLOW_DURATION_MS)
  }

  #step(): number {
    return Math.floor(this.now / Math.max(this.#slowMs / 16, 1))
  }

  #bucket(): number {
    return Math.floor(
      (this.now * this.#option(OPTION.BUCKETS)) / this.#option(OPTION.WINDOW_LENGTH),
    )
  }

  #hangs(call: Call): boolean {
    return (
      call.generation === this.generation &&
      call.step !== undefined &&
      this.#step() >= call.step + 17
    )
  }

  get hanging(): number {
    return [...this.#inFlight].filter(call => this.#hangs(call)).length
  }

  window(): WindowCounts {
    const oldest = this.#bucket() - this.#option(OPTION.BUCKETS)
    const counted = this.#outcomes.filter(({ bucket }) => bucket > oldest)
    const { hanging } = this
    return {
      calls: counted.length + hanging,
      failures: counted.filter(({ failed }) => failed).length,
      slowCalls: counted.filter(({ slow }) => slow).length + hanging,
      slowFailures: counted.filter(({ failed, slow }) => failed && slow).length,
    }
  }

  #judge(): void {
    if (this.state !== 'closed') return
    const { calls, failures, slowCalls } = this.window()
    const isEnough = calls >= this.#option(OPTION.MINIMUM_CALLS)
    const isBad =
      failures / calls >= this.#option(OPTION.FAILURE_RATE) ||
      slowCalls / calls >= this.#option(OPTION.SLOW_RATE)
    if (isEnough && isBad) this.#go('open', this.now)
  }

  #go(state: State, sinceMs: number): void {
    this.state = state
    this.generation += 1
    this.#outcomes = []
    this.#trial = undefined
    this.#until = toMicrosecond(sinceMs + this.#option(OPTION.WAIT_INITIAL_MS))
  }

  command(state: State): void {
    const opens = state === 'open'
    if (opens && (this.state === 'open' || this.state === 'disabled')) return
    this.#go(state, this.now)
  }

  /** The call, or undefined when refused. */
  ask(face: number): Call | undefined {
    this.#judge()
    if (this.state === 'open' && this.now >= this.#until) this.#go('half-open', this.now)
    if (this.state === 'half-open' && this.#trial && this.now >= this.#trial.end) {
      this.#go('open', this.#trial.end)
      return this.ask(face)
    }
    if (this.state === 'open') return undefined
    const isTrial = this.state === 'half-open'
    if (isTrial && this.#trial !== undefined) return undefined
    const hasAge = !isTrial && this.state !== 'disabled' && !this.#ageless.has(face)
    const step = hasAge ? this.#step() : undefined
    const call: Call = { face, generation: this.generation, step, isTrial }
    this.#inFlight.add(call)
    if (isTrial) {
      const leaseMs = Math.min(this.#option(OPTION.TRIAL_TIMEOUT_MS), this.#slowMs + 0.001)
      const end = toMicrosecond(this.now + leaseMs)
      this.#trial = { call, end, owned: !this.#ageless.has(face) }
    }
    return call
  }

  /** False when it was late. `failed` undefined: released. */
  settle(call: Call, failed: boolean | undefined, durationMs: number): boolean {
    const hung = this.#inFlight.has(call) && this.#hangs(call)
    this.#inFlight.delete(call)
    if (call.generation !== this.generation) return false
    const slow = durationMs > this.#slowMs
    if (call.isTrial) return this.#settleTrial(failed, slow)
    const hasWindow = this.state === 'closed' || this.state === 'metrics-only'
    if (failed !== undefined && hasWindow) {
      this.#outcomes.push({ bucket: this.#bucket(), failed, slow })
    }
    if (failed !== undefined || hung) this.#judge()
    return true
  }

  #settleTrial(failed: boolean | undefined, slow: boolean): boolean {
    const trial = this.#trial
    if (trial === undefined) return false
    if (this.now >= trial.end) {
      this.#go('open', trial.end)
      return false
    }
    if (failed === undefined) this.#trial = undefined
    else this.#go(failed || slow ? 'open' : 'closed', this.now)
    return true
  }

  /** The face has died and its slot was freed: nobody will settle its calls. */
  die(face: number): void {
    for (const call of this.#inFlight) if (call.face === face) this.#inFlight.delete(call)
    const trial = this.#trial
    if (trial?.owned && trial.call.face === face && this.now < trial.end) this.#trial = undefined
  }

  /** A new thread in its place. */
  join(face: number): void {
    this.#ageless.delete(face)
  }

  /** Its registry was closed while another one keeps the slot: from now on it tells no ages. */
  close(face: number): void {
    this.#ageless.add(face)
  }

  /** Its slot is given back: its calls go on, and nobody tells their ages; so does its trial. */
  leave(face: number): void {
    this.close(face)
    for (const call of this.#inFlight) if (call.face === face) call.step = undefined
    if (this.#trial?.call.face === face) this.#trial.owned = false
  }
}
