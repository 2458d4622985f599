/** Below the minimum of calls: every outcome counts towards it, and the one that reaches it opens. */
import type { SharedOptions } from '../../../src/options/types.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { ownedShardWords, seenOf, withRing, world } from '../build.ts'
import { check, type Scenario } from '../scenario.ts'
import { B, G, opensInTime, recorder } from './outcomes.ts'
import type { Kind } from './window-world.ts'

const TIME: SharedOptions = {
  slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 },
  failureRateThreshold: 0.5,
}
const COUNT: SharedOptions = {
  slidingWindow: { type: 'count', size: 6 },
  failureRateThreshold: 0.5,
}
/** As many places as the outcomes of a scenario, or more. */
const RING = 16

interface Recording {
  /** What is over when the search begins. */
  readonly before: readonly Kind[]
  readonly kinds: readonly Kind[]
}

export interface Plan {
  readonly name: string
  readonly about: string
  readonly options: SharedOptions
  /** By thread, in the order in which what comes before is recorded. */
  readonly threads: Readonly<Record<string, Recording>>
  readonly marks: readonly string[]
  readonly kills?: number
  readonly bound?: number
  /** Whether the breaker is open at the end, deaths aside, in whatever order. */
  readonly surelyOpens: boolean
}

/** A success is there already; then the threads record, and every state is held against P4. */
export function recording(plan: Plan): Scenario {
  const { name, about, options, marks, kills = 1, bound, surelyOpens } = plan
  return {
    name,
    about,
    kills,
    ...(bound === undefined ? {} : { bound }),
    marks: ['open', 'overlap', ...marks],
    alone: 400,
    set() {
      const names = Object.keys(plan.threads)
      const made = withRing(world(options, names.length), RING)
      const { memory, cell } = made
      // Also takes the periodic duty, so that nobody's first record has to.
      const core = new Core(cell, 1)
      core.recordSuccess(core.tryAcquire())
      const bodies = Object.entries(plan.threads).map(([thread, { kinds, before }], index) => {
        return [thread, recorder(made, index + 1, kinds, before)] as const
      })
      return {
        memory,
        ownedWord: ownedShardWords(cell),
        threads: Object.fromEntries(bodies),
        first: names,
        always: opensInTime(made),
        finally(results, mark) {
          const { state } = seenOf(cell)
          mark(state)
          const anyDied = Object.values(results).includes(undefined)
          if (surelyOpens && !anyDied) check(state === 'open', `${state} at the end`)
        },
      }
    },
  }
}

const timeOf4 = { ...TIME, minimumNumberOfCalls: 4 }
const countOf5 = { ...COUNT, minimumNumberOfCalls: 5 }

export const oneRelies: Scenario = recording({
  name: 'minimum-time',
  about: 'one thread relies on the stock below the minimum, the other sums: opens on its outcome',
  options: timeOf4,
  threads: { relies: { before: [B], kinds: [G, B] }, sums: { before: [], kinds: [B, B] } },
  marks: ['a death makes late'],
  surelyOpens: true,
})

export const bothRely: Scenario = recording({
  name: 'minimum-both',
  about: 'both threads rely on the stock below the minimum of a time window',
  options: timeOf4,
  threads: { a: { before: [B], kinds: [G, B] }, b: { before: [G], kinds: [B] } },
  marks: ['a death makes late'],
  surelyOpens: true,
})

export const goodOpens: Scenario = recording({
  name: 'minimum-good',
  about: 'a good outcome reaches the minimum and opens, unless another one comes at once',
  options: { ...timeOf4, failureRateThreshold: 0.25 },
  threads: { a: { before: [B], kinds: [G, G] }, b: { before: [], kinds: [G] } },
  marks: ['a death makes late', 'closed'],
  surelyOpens: false,
})

export const inCountWindow: Scenario = recording({
  name: 'minimum-count',
  about: 'the same in a count window, with a bad one after it',
  options: countOf5,
  threads: { a: { before: [B], kinds: [G, B] }, b: { before: [B], kinds: [B] } },
  marks: ['a death makes late'],
  surelyOpens: true,
})

export const threeRecord: Scenario = recording({
  name: 'minimum-three',
  about: 'three threads, two of which rely on the stock, reach the minimum together',
  options: timeOf4,
  threads: {
    a: { before: [B], kinds: [B] },
    b: { before: [G], kinds: [B] },
    c: { before: [], kinds: [G] },
  },
  kills: 0,
  bound: 2,
  marks: [],
  surelyOpens: false,
})
