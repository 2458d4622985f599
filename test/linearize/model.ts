/**
 * The sequential reference (test/model/reference.ts) as a model for the search, in two readings.
 *
 * strict   Every call is one step of the reference.
 * stepped  As the protocol argues it (docs/protocol.md, P4):
 *          - an outcome enters the window in one step; the recorder that finds the threshold reached
 *            opens the breaker in a later step of the same call. What other threads record and ask
 *            in between finds a closed breaker: P4's "one outcome more for each recorder".
 *            Consecutive windows look at the row that their own step made.
 *          - in a count window an outcome takes its index in one step, appears there in a second and
 *            looks at the window in a third. The indices are the order in which outcomes leave; one
 *            that has not appeared is missed by those who look (docs/protocol.md: "its midst").
 *          - an ask that ends a wait moves the breaker to half-open in one step and takes a place in
 *            another: a second asker may take it first.
 *          - an ask may be refused in half-open although a place is free, while another ask overlaps
 *            it: that one had taken a place and gave it back.
 *
 * Compared are the results of every call and, at the end, state, generation, window, and of the
 * totals: admitted, refused and the sum of settled calls. Not compared: whether an outcome that
 * overlaps a transition was counted as late or in its kind (docs/protocol.md allows both).
 */
import { ReferenceBreaker } from '../model/reference.ts'
import { saysOpen } from '../model/reference-rules.ts'
import {
  type Options,
  type Outcome,
  type Permit,
  REFUSED,
  type Settings,
} from '../model/reference-types.ts'
import { DONE, type Rules, type Step, type Timed } from './search.ts'

export const CODES = [
  'tryAcquire',
  'recordSuccess',
  'recordFailure',
  'release',
  'state',
  'open',
  'reset',
  'forceOpen',
  'disable',
  'metricsOnly',
] as const

export type Code = (typeof CODES)[number]

export interface Call extends Timed {
  readonly worker: number
  readonly code: Code
  /** The index in the history of the call whose permit is settled. */
  readonly permitOf?: number
  /** A permit or -1; the place of a state's name in STATES; else 0. */
  readonly result: number
}

export const STATES = [
  'closed',
  'open',
  'half-open',
  'forced-open',
  'disabled',
  'metrics-only',
] as const

/** What is seen of the breaker when every call has returned. */
interface End {
  readonly state: string
  readonly generation: number
  readonly calls: number
  readonly failures: number
  readonly admitted: number
  readonly refused: number
  readonly settled: number
}

export interface Model {
  readonly breaker: ReferenceBreaker
  /** The permits given so far, by the index of the call. */
  readonly permits: ReadonlyMap<number, Permit>
}

const LOOK = 1
const OPEN = 2
const CLAIM = 1
/** TAKEN + i: the outcome has the i-th index and has not appeared in the window. */
const TAKEN = 100
const UNSEEN = -1

export interface History {
  readonly options: Options
  /** The breaker's generation and the region's time at the start; it is closed, or open and due. */
  readonly generation: number
  readonly now: number
  readonly opened: boolean
  readonly calls: readonly Call[]
  readonly end: End
}

export function initialOf({ options, generation, now, opened }: History): Model {
  const breaker = new ReferenceBreaker('b', options, now)
  breaker.generation = opened ? generation - 1 : generation
  if (opened) breaker.open(now)
  return { breaker, permits: new Map() }
}

function copy(breaker: ReferenceBreaker): ReferenceBreaker {
  const made = new ReferenceBreaker(breaker.name, breaker.options, 0)
  const places = breaker.places.map(place => place && { ...place })
  const totals = { ...breaker.totals }
  return Object.assign(made, breaker, { places, totals, outcomes: [...breaker.outcomes] })
}

export class ReferenceRules implements Rules<Model, Call> {
  readonly #history: History
  readonly #stepped: boolean

  constructor(history: History, reading: 'strict' | 'stepped') {
    this.#history = history
    this.#stepped = reading === 'stepped'
  }

  key({ breaker, permits }: Model): string {
    const { state, generation, openings, places, outcomes, totals } = breaker
    const mine = outcomes.filter(each => [generation, UNSEEN].includes(each.generation))
    const kinds = mine.map(each => (each.generation === UNSEEN ? '-' : each.failed ? 'f' : 's'))
    const held = places.map(place => (place ? `${place.permit}:${place.outcome}` : '-'))
    const given = [...permits].map(([index, permit]) => `${index}=${permit}`).sort()
    return [
      state,
      generation,
      openings,
      kinds.join(''),
      held,
      given,
      totals.refused,
      settledOf(breaker),
    ].join(' ')
  }

  accepts({ breaker }: Model): boolean {
    const { end, now } = this.#history
    const { window, totals, state, generation } = breaker.snapshot(now)
    return (
      state === end.state &&
      generation === end.generation &&
      window.calls === end.calls &&
      window.failures === end.failures &&
      totals.admitted === end.admitted &&
      totals.refused === end.refused &&
      settledOf(breaker) === end.settled
    )
  }

  steps(model: Model, call: Call, index: number, stage: number): Step<Model>[] {
    switch (call.code) {
      case 'tryAcquire':
        return this.#ask(model, call, index, stage)
      case 'recordSuccess':
      case 'recordFailure':
        return this.#record(model, call, call.code, stage)
      case 'release':
        return [this.#next(model, breaker => breaker.release(this.#permit(model, call), this.#now))]
      case 'state':
        return STATES[call.result] === model.breaker.state ? [{ model, stage: DONE }] : []
      default: {
        const { code } = call
        return [this.#next(model, breaker => breaker[code](this.#now))]
      }
    }
  }

  get #now(): number {
    return this.#history.now
  }

  #permit({ permits }: Model, { permitOf }: Call): Permit {
    return permits.get(permitOf ?? -1) ?? REFUSED
  }

  #next(model: Model, change: (breaker: ReferenceBreaker) => void, stage = DONE): Step<Model> {
    const breaker = copy(model.breaker)
    change(breaker)
    return { model: { ...model, breaker }, stage }
  }

  #ask(model: Model, call: Call, index: number, stage: number): Step<Model>[] {
    const steps: Step<Model>[] = []
    const breaker = copy(model.breaker)
    const permit = breaker.tryAcquire(this.#now)
    if (isSame(permit, call.result, breaker.generation)) {
      const permits = new Map(model.permits).set(index, permit)
      steps.push({ model: { breaker, permits }, stage: DONE })
    }
    if (!this.#stepped) return steps
    const { generation } = model.breaker
    if (stage !== CLAIM && permit !== REFUSED && breaker.generation !== generation) {
      const begun = copy(breaker)
      begun.release(permit, this.#now)
      begun.totals = { ...model.breaker.totals }
      steps.push({ model: { ...model, breaker: begun }, stage: CLAIM })
    }
    const isHalfOpen = model.breaker.state === 'half-open'
    if (call.result === -1 && isHalfOpen && this.#overlapsAnotherAsk(call)) {
      steps.push(
        this.#next(model, refusing => {
          refusing.totals.refused += 1
        }),
      )
    }
    return steps
  }

  #overlapsAnotherAsk(call: Call): boolean {
    return this.#history.calls.some(
      other =>
        other !== call &&
        other.code === 'tryAcquire' &&
        other.invoked < call.returned &&
        call.invoked < other.returned,
    )
  }

  #record(
    model: Model,
    call: Call,
    code: 'recordSuccess' | 'recordFailure',
    stage: number,
  ): Step<Model>[] {
    const permit = this.#permit(model, call)
    const { state, generation } = model.breaker
    const isCurrent = state === 'closed' && permit === `${generation}`
    if (stage >= TAKEN) {
      const appear = (breaker: ReferenceBreaker) => {
        const [index, generation] = [stage - TAKEN, Number(permit)]
        breaker.outcomes = breaker.outcomes.map((each, i) =>
          i === index ? { ...each, generation } : each,
        )
      }
      return [this.#next(model, appear, LOOK)]
    }
    if (stage === LOOK) return [{ model, stage: isCurrent && this.#says(model) ? OPEN : DONE }]
    if (stage === OPEN) {
      return isCurrent
        ? [this.#next(model, breaker => breaker.open(this.#now))]
        : [{ model, stage: DONE }]
    }
    if (!(this.#stepped && isCurrent)) {
      return [this.#next(model, breaker => breaker[code](permit, this.#now))]
    }
    const isRow = model.breaker.options.slidingWindow.type === 'consecutive'
    const put = this.#next(model, breaker => {
      // Metrics-only keeps the window and never opens: the outcome's own step.
      breaker.state = 'metrics-only'
      breaker[code](permit, this.#now)
      breaker.state = 'closed'
      const outcome = breaker.outcomes.at(-1)
      if (outcome && !isRow) breaker.outcomes[breaker.outcomes.length - 1] = unseen(outcome)
    })
    if (!isRow) return [{ ...put, stage: TAKEN + model.breaker.outcomes.length }]
    return [{ ...put, stage: this.#says(put.model) ? OPEN : DONE }]
  }

  #says({ breaker }: Model): boolean {
    const settings: Settings = breaker.options
    return saysOpen(breaker.snapshot(this.#now).window, settings)
  }
}

function unseen(outcome: Outcome): Outcome {
  return { ...outcome, generation: UNSEEN }
}

function settledOf({ totals }: ReferenceBreaker): number {
  return totals.succeeded + totals.failed + totals.ignored + totals.late
}

const FIRST_TRIAL_PERMIT = 2 ** 52
const PERMIT_GENERATIONS = 2 ** 24

/** Whether the library's permit is the model's: refused, of a generation, or a trial of one. */
function isSame(permit: Permit, result: number, generation: number): boolean {
  if (permit === REFUSED || result === -1) return permit === REFUSED && result === -1
  if (!permit.includes('/')) return result === generation
  return (
    result >= FIRST_TRIAL_PERMIT && result % PERMIT_GENERATIONS === generation % PERMIT_GENERATIONS
  )
}
