/** Windows: turn-over against a reader, overlapping records, the stock, the periodic duty. */
import { BUCKET, SHARD_BUCKETS, SUMMARY } from '../../../src/memory/layout.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { shardOf } from '../../../src/protocol/cell.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { PeriodicSum, readSummary } from '../../../src/protocol/periodic.ts'
import { emptyCounts, FAILED_KIND, GOOD } from '../../../src/protocol/window.ts'
import { checkState, ownedShardWords, type World, world } from '../build.ts'
import { machine } from '../machine.ts'
import { check, type Scenario } from '../scenario.ts'

type Kind = typeof GOOD | typeof FAILED_KIND

/** Records one outcome of the generation that it finds. */
function outcome({ cell }: World, slot: number, kind: Kind, times = 1): () => number {
  return () => {
    const core = new Core(cell, slot)
    let admitted = 0
    for (let time = 0; time < times; time++) {
      const permit = core.tryAcquire()
      if (permit < 0) break
      admitted++
      if (kind === GOOD) core.recordSuccess(permit)
      else core.recordFailure(permit)
    }
    return admitted
  }
}

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
  bound: 3,
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
          core.window.record((1 << 3) | 0, FAILED_KIND)
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
  bound: 2,
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
        const { state, totals, window } = snapshotOf('b', new Core(cell, 1))
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
        const { state, totals } = snapshotOf('b', new Core(cell, 1))
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

export const periodicTakenOver: Scenario = {
  name: 'periodic-duty',
  about: 'the periodic sum is taken over while its old owner publishes: no reader takes a mixture',
  kills: 1,
  bound: 3,
  marks: ['first round', 'second round', 'no round'],
  alone: 120,
  set() {
    const made = world({ slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 } })
    const { memory, cell } = made
    const rounds = [
      { calls: 1, failures: 1, slowCalls: 0, slowFailures: 0 },
      { calls: 2, failures: 0, slowCalls: 2, slowFailures: 0 },
    ] as const
    const duty = (cell.record + cell.shape.summary) / 2 + SUMMARY.DUTY_LONG
    const publish = (round: 0 | 1) => () => {
      const window = {
        hasRates: true,
        record() {},
        moveToOverflow() {},
        sum: (_generation: number, _now: number, into: object) => {
          Object.assign(into, rounds[round])
        },
      }
      new PeriodicSum(cell, window).maybe(0, 200 * (round + 1))
      return true
    }
    return {
      memory,
      threads: { first: publish(0), second: publish(1), reader: () => readSummary(cell, 0) },
      finally(results, mark) {
        if (results.first === true && results.second === true) {
          // Whoever took the duty last published whole, however late the other was.
          const last = (memory.longs[duty] as bigint) & (2n ** 51n - 1n)
          const at = Number(last) / 1000 - 100
          check(readSummary(cell, 0)?.at === at, `the round of ${at} ms was lost`)
        }
        if (machine.threads.some(({ name, alive }) => name === 'reader' && !alive)) return
        const summary = results.reader as ReturnType<typeof readSummary>
        if (summary === undefined || summary.at === 0) {
          mark('no round')
          return
        }
        const round = summary.at === 200 ? 0 : 1
        check(
          JSON.stringify(summary.counts) === JSON.stringify(rounds[round]),
          `round ${round} reads as ${JSON.stringify(summary.counts)}`,
        )
        mark(round === 0 ? 'first round' : 'second round')
      },
    }
  },
}

export const overflowOverlap: Scenario = {
  name: 'overflow-bucket',
  about: 'two threads in the overflow shard, one a window later: neither loses an outcome in time',
  kills: 1,
  marks: ['both counted', 'late one dropped'],
  alone: 200,
  set() {
    const made = world({
      slidingWindow: { type: 'time', durationMs: 100, buckets: 1 },
      minimumNumberOfCalls: 50,
    })
    const { memory, cell, clock } = made
    const before = new Core(cell, 0)
    before.recordSuccess(before.tryAcquire())
    clock.advance(100)
    return {
      memory,
      threads: { a: outcome(made, 0, GOOD), b: outcome(made, 0, FAILED_KIND) },
      finally(results, mark) {
        const counts = emptyCounts()
        memory.words[35 + 1] = 1
        new Core(cell, 1).window.sum(0, 199, counts)
        if (results.a === undefined || results.b === undefined) return
        check(counts.calls === 2 && counts.failures === 1, `${counts.calls} outcomes of two`)
        mark('both counted')
        const bucket = shardOf(cell, 1) + SHARD_BUCKETS + BUCKET.KINDS
        check(memory.words[bucket] === 0, "another thread's bucket was written")
        mark('late one dropped')
      },
    }
  },
}

export const ringWrap: Scenario = {
  name: 'ring-wrap',
  about: 'two records where the lap of the ring wraps: both are in the window',
  kills: 1,
  marks: ['both'],
  alone: 300,
  set() {
    const made = world({ slidingWindow: { type: 'count', size: 60 }, failureRateThreshold: 1 })
    const { memory, cell } = made
    // 511 laps of 128 are behind; a lap of good outcomes more, and the next begins at 0.
    memory.words[cell.record + cell.shape.head] = 511 * cell.shape.ringCapacity
    outcome(made, 1, GOOD, cell.shape.ringCapacity)()
    return {
      memory,
      threads: { a: outcome(made, 1, FAILED_KIND), b: outcome(made, 2, FAILED_KIND) },
      finally(results, mark) {
        const { window } = snapshotOf('b', new Core(cell, 1))
        check(window.calls === 60, `${window.calls} outcomes in a window of 60`)
        if (results.a === undefined || results.b === undefined) return
        check(window.failures === 2, `${window.failures} failures of two`)
        mark('both')
      },
    }
  },
}
