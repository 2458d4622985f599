/**
 * Outcomes of a time window go into the bucket of the moment, although a thread reads its clock but
 * now and then: bad ones always, good ones unless the keeper is late, and then 256 of them at most.
 */
import { expect, it } from 'vitest'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'
import { load, type Memory, store, viewsOf } from '../../src/memory/atomics.ts'
import { BUCKET, BUCKET_WORDS, HEADER, SHARD_BUCKETS } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { type Cell, shardOf } from '../../src/protocol/cell.ts'
import { Directory } from '../../src/protocol/directory.ts'
import { FAILED_KIND, GOOD } from '../../src/protocol/window.ts'
import { clockBeside, makeKept, wake, within } from './keeper/support.ts'

const BUCKET_MS = 20
const BUCKETS = 50
/** Less than the window, so that no bucket is used twice. */
const RUN_MS = (BUCKET_MS * BUCKETS) / 2
const MOST_MISLED = 256
const SLOT = 1

/** How many outcomes surely fell into a bucket, and how many may have. */
class Expected {
  readonly surely = new Map<number, number>()
  readonly maybe = new Map<number, number>()

  add(before: number, after: number): void {
    const [first, last] = [before, after].map(now => Math.floor(now / BUCKET_MS)) as [
      number,
      number,
    ]
    if (first === last) this.surely.set(first, (this.surely.get(first) ?? 0) + 1)
    for (let bucket = first; bucket <= last; bucket++) {
      this.maybe.set(bucket, (this.maybe.get(bucket) ?? 0) + 1)
    }
  }
}

function cellOf(registry: Registry): Cell {
  const [cell] = new Directory(attachRegion(registry.handle), { thread: 0, parent: 0 })
    .cells()
    .filter(({ shape }) => shape.buckets === BUCKETS)
  if (cell === undefined) throw new RangeError('no breaker')
  return cell
}

/** What stands in this thread's bucket of that number. */
function countIn(memory: Memory, cell: Cell, bucket: number, kind: number): number {
  const at = shardOf(cell, SLOT) + SHARD_BUCKETS + (bucket % BUCKETS) * BUCKET_WORDS
  return load(memory, at + BUCKET.STAMP) === bucket ? load(memory, at + BUCKET.KINDS + kind) : 0
}

function makeBreaker(registry: Registry): CircuitBreaker {
  return registry.breaker('buckets', {
    slidingWindow: { type: 'time', durationMs: BUCKET_MS * BUCKETS, buckets: BUCKETS },
    failureRateThreshold: 1,
    minimumNumberOfCalls: 1,
  })
}

/** Records without pause: mostly good outcomes, and some bad ones, too few to open. */
function record(registry: Registry, slack: number, between = (_turn: number): void => {}): void {
  const breaker = makeBreaker(registry)
  const now = clockBeside(registry)
  const good = new Expected()
  const bad = new Expected()
  breaker.recordSuccess(breaker.tryAcquire())
  const start = now()
  let last = start
  for (let turn = 1; last < start + RUN_MS; turn++) {
    const permit = breaker.tryAcquire()
    const before = now()
    if (turn % 100 === 0) breaker.recordFailure(permit)
    else breaker.recordSuccess(permit)
    last = now()
    ;(turn % 100 === 0 ? bad : good).add(before, last)
    between(turn)
  }
  const memory = viewsOf(registry.handle.buffer)
  const cell = cellOf(registry)
  const first = Math.floor(start / BUCKET_MS) + 1
  for (let bucket = first; bucket < Math.floor(last / BUCKET_MS); bucket++) {
    for (const [expected, kind, most] of [
      [good, GOOD, slack],
      [bad, FAILED_KIND, 0],
    ] as const) {
      const found = countIn(memory, cell, bucket, kind)
      const what = `bucket ${bucket} after ${first}, kind ${kind}`
      expect(found, what).toBeGreaterThanOrEqual((expected.surely.get(bucket) ?? 0) - most)
      expect(found, what).toBeLessThanOrEqual((expected.maybe.get(bucket) ?? 0) + most)
    }
  }
  const { succeeded, failed } = breaker.snapshot().totals
  const { calls, failures } = breaker.snapshot().window
  expect({ calls, failures }).toEqual({ calls: succeeded + failed, failures: failed })
}

it('exactly, without a keeper', () => {
  using registry = createRegistry({ keeper: false })
  record(registry, 0)
})

it.each([1, 5, 20])('with a keeper awake, a tick of %i ms', async tickMs => {
  const kept = await makeKept({ keeper: { tickMs } })
  await wake(kept)
  record(kept.registry, MOST_MISLED)
})

it('with a keeper that now and then stands still', async () => {
  const kept = await makeKept()
  await kept.keeper.terminate()
  await within('the thread ends', kept.exited)
  let tick = 0
  record(kept.registry, MOST_MISLED, turn => {
    if (turn % 5000 === 0) store(kept.memory, HEADER.TICK, ++tick)
  })
})
