/**
 * Good outcomes that a thread spares: it has found the minimum of calls, so they go into its counter
 * and nothing else is looked at, until the bucket or the generation ends.
 */
import { CLOSED, METRICS_ONLY } from '../../../src/memory/words/state.ts'
import type { SharedOptions } from '../../../src/options/types.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { emptyCounts } from '../../../src/protocol/window.ts'
import { ownedShardWords, seenOf, type World, withRing, world } from '../build.ts'
import { check, type Mark, type Scenario } from '../scenario.ts'
import { recording } from './minimum.ts'
import { B, countsRightly, finishedWhere, G, opensInTime, recorder } from './outcomes.ts'

const QUARTER: SharedOptions = { failureRateThreshold: 0.25, minimumNumberOfCalls: 4 }

export const sparesInTime: Scenario = recording({
  name: 'spare-time',
  about: 'one thread spares its good outcomes while another takes all out: opens as it should',
  options: { ...QUARTER, slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 } },
  threads: { counts: { before: [G], kinds: [G, B] }, spares: { before: [G, G], kinds: [G, B] } },
  marks: ['a death makes late'],
  surelyOpens: true,
})

export const sparesInCount: Scenario = recording({
  name: 'spare-count',
  about: 'the same in a count window',
  options: { ...QUARTER, slidingWindow: { type: 'count', size: 12 } },
  threads: { counts: { before: [G], kinds: [G, B] }, spares: { before: [G, G], kinds: [B] } },
  marks: ['a death makes late'],
  surelyOpens: true,
})

const BUCKET_MS = 50

function sparing(buckets: number): World {
  return world({
    slidingWindow: { type: 'time', durationMs: BUCKET_MS * buckets, buckets },
    failureRateThreshold: 0.5,
    minimumNumberOfCalls: 2,
  })
}

/** Moves the clock on by one bucket, so many times. */
function time({ clock }: World, times: number): () => boolean {
  return () => {
    for (let time = 0; time < times; time++) clock.advance(BUCKET_MS)
    return true
  }
}

function reset({ cell }: World): () => boolean {
  return () => {
    carryOutCommand(new Core(cell, 2), plainCommand(CLOSED))
    return true
  }
}

function ofGeneration(generation: number): number {
  const { good, bad } = finishedWhere(outcome => outcome.generation === generation)
  return good + bad
}

export const bucketEnds: Scenario = {
  name: 'spare-bucket',
  about: 'buckets end between any two steps of a thread that spares: each outcome is in its own',
  kills: 1,
  marks: ['all in the first', 'some out of the window'],
  alone: 400,
  set() {
    const made = sparing(2)
    const { memory, cell } = made
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: { spares: recorder(made, 1, [G, G, G, B], [G, G]), time: time(made, 3) },
      first: ['spares'],
      always: countsRightly(made, BUCKET_MS, 2),
      finally(results, mark) {
        if (results.spares === undefined) return
        const inFirst = finishedWhere(({ to }) => to < BUCKET_MS)
        if (inFirst.good + inFirst.bad === 6) mark('all in the first')
        const gone = finishedWhere(({ to }) => to < 2 * BUCKET_MS)
        if (results.time && gone.good + gone.bad > 0) mark('some out of the window')
      },
    }
  },
}

/** A reset between any two steps of a thread that spares in `generation`, which `begin` brings. */
function endsWithReset(
  scenario: { name: string; about: string },
  generation: number,
  spared: (typeof G)[],
  begin?: (made: World) => void,
): Scenario {
  return {
    ...scenario,
    kills: 1,
    marks: ['some of each', 'overlap', 'open'],
    alone: 400,
    set() {
      const made = sparing(1)
      const { memory, cell } = made
      begin?.(made)
      return {
        memory,
        ownedWord: ownedShardWords(cell),
        threads: { spares: recorder(made, 1, [G, G, B, B], spared), reset: reset(made) },
        first: ['spares'],
        always: both(countsRightly(made, BUCKET_MS, 1), opensInTime(made)),
        finally(_results, mark) {
          const some = ofGeneration(generation) > spared.length && ofGeneration(generation + 1) > 0
          if (some) mark('some of each')
          mark(seenOf(cell).state)
        },
      }
    },
  }
}

export const generationEnds = endsWithReset(
  {
    name: 'spare-generation',
    about: 'a reset between any two steps of a thread that spares: no outcome in the old window',
  },
  0,
  [G, G],
)

export const metricsEnd = endsWithReset(
  {
    name: 'spare-metrics',
    about: 'the same where metrics-only, in which all good outcomes are spared, is what ends',
  },
  1,
  [G],
  ({ cell }) => carryOutCommand(new Core(cell, 2), plainCommand(METRICS_ONLY)),
)

export const generationEndsInCount: Scenario = {
  name: 'spare-count-ends',
  about:
    'a count window: a reset, and a failure after it, between any two steps of one that spares',
  kills: 1,
  marks: ['some of each', 'overlap', 'open'],
  alone: 400,
  set() {
    const made = withRing(
      world({
        slidingWindow: { type: 'count', size: 6 },
        failureRateThreshold: 0.5,
        minimumNumberOfCalls: 2,
      }),
      8,
    )
    const { memory, cell } = made
    const fail = recorder(made, 2, [B])
    return {
      memory,
      threads: {
        spares: recorder(made, 1, [G, G], [G, G]),
        fails: () => {
          reset(made)()
          return fail()
        },
      },
      first: ['spares'],
      always: opensInTime(made),
      finally(_results, mark) {
        if (ofGeneration(0) > 2 && ofGeneration(1) > 1) mark('some of each')
        mark(seenOf(cell).state)
      },
    }
  },
}

export const bothEnd: Scenario = {
  name: 'spare-both',
  about: 'the window is over and a reset comes, between any two steps of a thread that spares',
  kills: 1,
  mortal: ['spares'],
  marks: ['new window', 'new generation'],
  alone: 400,
  set() {
    const made = sparing(1)
    const { memory, cell } = made
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        spares: recorder(made, 1, [G, G], [G, G]),
        time: time(made, 2),
        reset: reset(made),
      },
      first: ['spares'],
      always: countsRightly(made, BUCKET_MS, 1),
      finally(_results, mark) {
        const late = finishedWhere(({ from, generation }) => generation === 0 && from >= BUCKET_MS)
        if (late.good > 0) mark('new window')
        if (ofGeneration(1) > 0) mark('new generation')
      },
    }
  },
}

export const readWhileSpared: Scenario = {
  name: 'spare-reader',
  about: 'a thread spares, resets and goes on while another adds up for both generations',
  kills: 1,
  marks: ['old', 'new', 'a spared one is seen', 'and is missed'],
  alone: 400,
  set() {
    const made = sparing(1)
    const { memory, cell } = made
    const record = recorder(made, 1, [G], [G, G])
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        owner: () => {
          record()
          reset(made)()
          const core = new Core(cell, 1)
          return core.recordSuccess(core.tryAcquire())
        },
        reader: () => {
          const { window } = new Core(cell, 2)
          const counts = [emptyCounts(), emptyCounts()] as const
          window.sum(0, 0, counts[0])
          window.sum(1, 0, counts[1])
          return [counts[0].calls, counts[1].calls]
        },
      },
      first: ['owner'],
      finally(results, mark) {
        if (results.reader === undefined) return
        const [old, next] = results.reader as [number, number]
        check([0, 2, 3].includes(old), `${old} outcomes of the old generation`)
        check(next <= 1, `${next} outcomes of the new generation`)
        mark(next === 1 ? 'new' : 'old')
        if (old > 0) mark(old === 3 ? 'a spared one is seen' : 'and is missed')
      },
    }
  },
}

export const straddles: Scenario = {
  name: 'spare-straddle',
  about:
    'a good outcome is spared while its bucket ends: the new window opens one late at the most',
  kills: 0,
  bound: 3,
  marks: ['open', 'late by the one spared'],
  alone: 400,
  set() {
    const made = world({
      slidingWindow: { type: 'time', durationMs: 2 * BUCKET_MS, buckets: 2 },
      failureRateThreshold: 0.5,
      minimumNumberOfCalls: 4,
    })
    const { memory, cell, clock } = made
    // Late enough for the periodic duty not to be due again.
    clock.advance(BUCKET_MS - 1)
    recorder(made, 1, [G, G, G])()
    clock.advance(1)
    const record = recorder(made, 2, [B, B, B])
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        spares: recorder(made, 1, [G], [G]),
        fails: () => {
          clock.advance(BUCKET_MS)
          return record()
        },
      },
      first: ['spares'],
      finally(results, mark) {
        const { state } = seenOf(cell)
        mark(state)
        // Two good outcomes at the most are left in the window: two bad ones, or three, open it.
        check(state === 'open', `${state} at the end`)
        const straddled = finishedWhere(
          ({ from, to }) => from < 2 * BUCKET_MS && to >= 2 * BUCKET_MS,
        )
        const failures = (results.fails as readonly number[]).length
        if (straddled.good > 0 && failures === 3) mark('late by the one spared')
      },
    }
  },
}

function both(first: () => void, second: (mark: Mark) => void): (mark: Mark) => void {
  return mark => {
    first()
    second(mark)
  }
}
