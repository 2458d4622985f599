/** Windows: turn-over against a reader, overlapping records, the stock. */
import { CLOSED, packState } from '../../../src/memory/words/state.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { emptyCounts, FAILED_KIND, GOOD } from '../../../src/protocol/window.ts'
import { checkState, ownedShardWords, world } from '../build.ts'
import { check, type Scenario } from '../scenario.ts'

import { outcome } from './window-world.ts'

export const turnOverAgainstReader: Scenario = {
  name: 'turn-over',
  about: 'a bucket is turned over while another thread adds up: all of the old, or of the new',
  kills: 1,
  marks: ['old', 'new', 'empty'],
  alone: 200,
  set() {
    const made = world({
      slidingWindow: { type: 'time', durationMs: 100, buckets: 1 },
      minimumNumberOfCalls: 50,
    })
    const { memory, cell, clock } = made
    outcome(made, 1, GOOD, 3)()
    outcome(made, 1, FAILED_KIND, 2)()
    clock.advance(100)
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        owner: outcome(made, 1, FAILED_KIND),
        reader: () => {
          const window = new Core(cell, 2).window
          const counts = [emptyCounts(), emptyCounts()] as const
          window.sum(0, 99, counts[0])
          window.sum(0, 199, counts[1])
          return counts
        },
      },
      finally(results, mark) {
        if (results.reader === undefined) return
        const [before, after] = results.reader as { calls: number; failures: number }[]
        if (before === undefined || after === undefined) return
        // All of the old bucket or nothing of it, or the new one, which is still to come from there;
        // never a mixture.
        const seen = `${before.calls}/${before.failures}`
        check(['5/2', '0/0'].includes(seen), `the old bucket read as ${seen}`)
        check(after.calls <= 1 && after.failures === after.calls, 'old counts in a new bucket')
        if (before.calls === 5) mark('old')
        if (after.calls === 1) mark('new')
        if (before.calls === 0 && after.calls === 0) mark('empty')
      },
    }
  },
}

export const turnOverByGeneration: Scenario = {
  name: 'turn-generation',
  about: 'a bucket passes to a new generation while another thread adds up for each',
  kills: 1,
  marks: ['old generation', 'new generation'],
  alone: 260,
  set() {
    const made = world({
      slidingWindow: { type: 'time', durationMs: 100, buckets: 1 },
      minimumNumberOfCalls: 50,
    })
    const { memory, cell } = made
    const old = new Core(cell, 1)
    for (let call = 0; call < 3; call++) old.recordSuccess(old.tryAcquire())
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        owner: () => {
          const core = new Core(cell, 1)
          // What a transition does for the window is all in the generation.
          core.window.record(packState(1, CLOSED, 0), FAILED_KIND)
          return true
        },
        reader: () => {
          const window = new Core(cell, 2).window
          const counts = [emptyCounts(), emptyCounts()] as const
          window.sum(0, 0, counts[0])
          window.sum(1, 0, counts[1])
          return counts
        },
      },
      finally(results, mark) {
        if (results.reader === undefined) return
        const [first, second] = results.reader as { calls: number; failures: number }[]
        if (first === undefined || second === undefined) return
        check(first.failures === 0, 'a failure of the next generation')
        check([0, 3].includes(first.calls), `${first.calls} calls of the old generation`)
        check(second.calls === second.failures && second.calls <= 1, 'calls of the old generation')
        if (first.calls === 3) mark('old generation')
        if (second.calls === 1) mark('new generation')
      },
    }
  },
}

export const ringOverlap: Scenario = {
  name: 'count-ring',
  about: 'two threads record into one ring: opens by the third failure, whoever stalls or dies',
  kills: 1,
  marks: ['open', 'one died'],
  alone: 400,
  set() {
    const made = world({
      slidingWindow: { type: 'count', size: 3 },
      minimumNumberOfCalls: 3,
      failureRateThreshold: 1,
    })
    const { memory, cell } = made
    outcome(made, 1, FAILED_KIND, 2)()
    return {
      memory,
      threads: { a: outcome(made, 1, FAILED_KIND), b: outcome(made, 2, FAILED_KIND, 3) },
      always: () => checkState(cell),
      finally(results, mark) {
        const { state, totals, window } = snapshotOf(new Core(cell, 1))
        // P4: at most one outcome more for each recorder that overlaps the opening.
        check(totals.failed <= 4, `${totals.failed} failures counted of 3 that open`)
        check(window.calls <= 3, `${window.calls} outcomes in a window of 3`)
        const died = Object.values(results).includes(undefined)
        if (died) mark('one died')
        else check(state === 'open', `${state} after ${totals.failed} failures`)
        if (state === 'open') mark('open')
      },
    }
  },
}

export const stockOrder: Scenario = {
  name: 'stock-order',
  about: 'three failures in two threads of four that open: no order of sums keeps it closed',
  kills: 0,
  marks: ['open', 'opened by a', 'opened by b'],
  alone: 500,
  bound: 2,
  set() {
    const made = world({
      slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 },
      minimumNumberOfCalls: 2,
      failureRateThreshold: 0.75,
    })
    const { memory, cell } = made
    const first = new Core(cell, 1)
    first.recordSuccess(first.tryAcquire())
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: { a: outcome(made, 1, FAILED_KIND, 3), b: outcome(made, 2, FAILED_KIND, 3) },
      always: () => checkState(cell),
      finally(results, mark) {
        const { state, totals } = snapshotOf(new Core(cell, 1))
        check(state === 'open', `${state} after ${totals.failed} failures`)
        // The third failure makes 3 of 4; one more may be recorded by the other thread.
        check(totals.failed >= 3 && totals.failed <= 4, `opened at the ${totals.failed}th failure`)
        mark('open')
        if ((results.a as number) > (results.b as number)) mark('opened by a')
        else mark('opened by b')
      },
    }
  },
}

export const sumOverTime: Scenario = {
  name: 'sum-early',
  about:
    'failures that come after successes, in a shard read later: no sum may see only the former',
  kills: 0,
  marks: ['closed'],
  alone: 700,
  set() {
    const made = world(
      {
        slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 },
        minimumNumberOfCalls: 3,
        failureRateThreshold: 0.75,
      },
      3,
    )
    const { memory, cell } = made
    return {
      memory,
      threads: {
        // One thread, so that its failures come after its successes, in two shards.
        both: () => outcome(made, 1, GOOD, 3)() + outcome(made, 2, FAILED_KIND, 2)(),
        summer: outcome(made, 3, FAILED_KIND),
      },
      always: () => checkState(cell),
      finally(_results, mark) {
        const { state, openedBy } = snapshotOf(new Core(cell, 1))
        const seen = openedBy && `${openedBy.failures} of ${openedBy.calls}`
        check(state === 'closed', `opened at ${seen}, but the rate never passed 1 of 2`)
        mark('closed')
      },
    }
  },
}
