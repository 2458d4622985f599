/** The periodic sum and the overflow shard. */
import { BUCKET, SHARD_BUCKETS, SUMMARY } from '../../../src/memory/layout.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { shardOf } from '../../../src/protocol/cell.ts'
import { PeriodicSum, readSummary } from '../../../src/protocol/periodic.ts'
import { useOverflow } from '../../../src/protocol/slots.ts'
import { emptyCounts, FAILED_KIND, GOOD } from '../../../src/protocol/window.ts'
import { world } from '../build.ts'
import { machine } from '../machine.ts'
import { check, type Scenario } from '../scenario.ts'

import { outcome } from './window-world.ts'

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
        tend() {},
        moveToOverflow() {},
        sum: (_generation: number, _now: number, into: object) => {
          Object.assign(into, rounds[round])
        },
      }
      new PeriodicSum(cell, window).look(0, 200 * (round + 1))
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
    useOverflow(memory)
    const before = new Core(cell, 0)
    before.recordSuccess(before.tryAcquire())
    clock.advance(100)
    return {
      memory,
      threads: { a: outcome(made, 0, GOOD), b: outcome(made, 0, FAILED_KIND) },
      finally(results, mark) {
        const counts = emptyCounts()
        new Core(cell, 1).window.sum(0, 199, counts)
        if (results.a === undefined || results.b === undefined) return
        check(counts.calls === 2 && counts.failures === 1, `${counts.calls} outcomes of two`)
        mark('both counted')
        const bucket = shardOf(cell, 1) + SHARD_BUCKETS + BUCKET.KINDS
        check(memory[bucket] === 0, "another thread's bucket was written")
        mark('late one dropped')
      },
    }
  },
}
