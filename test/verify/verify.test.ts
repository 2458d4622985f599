/** The verifier finds nothing in sound regions, and every violation that is planted in one. */
import { threadId } from 'node:worker_threads'
import { beforeEach, describe, expect, it } from 'vitest'
import { attachRegistry } from '../../src/index.ts'
import {
  DEFINITION_WORDS,
  HEADER,
  JOURNAL,
  JOURNAL_ENTRIES,
  JOURNAL_LONGS,
} from '../../src/memory/layout.ts'
import { packPlace } from '../../src/memory/words/trials.ts'
import { markDead } from '../../src/protocol/slots.ts'
import { reapMarked } from '../../src/threads/deaths.ts'
import { verify } from '../../src/verify/verify.ts'
import { start, together, until } from '../threads/crew.ts'
import { PLANTS, placeLong, RECORDS } from './plants.ts'
import { DETAILS, KEYS, makeHistory } from './plants-journal.ts'
import { PEOPLE, TALLIES, TRANSITIONS } from './plants-people.ts'
import { breakersOf, close, fail, halfOpen, type Made, makeRegion, use } from './support.ts'

let made: Made
beforeEach(() => {
  made = makeRegion()
})

function expectSound(quiet = true): void {
  expect(verify(made.registry.handle.buffer, { quiet })).toEqual([])
}

describe('sound regions', () => {
  it('fresh', () => expectSound())

  it('used by one thread', () => {
    use(made)
    expectSound()
  })

  it('used for long enough to go round every window', () => {
    for (let turn = 0; turn < 30; turn++) {
      use(made)
      expectSound()
    }
  })

  it('with calls in flight', () => {
    for (const breaker of breakersOf(made)) breaker.tryAcquire()
    expectSound(false)
    expect(verify(made.registry.handle.buffer, { quiet: true })).toHaveLength(3)
  })

  it('open, half-open and closed again, by outcomes', () => {
    for (let turn = 0; turn < 5; turn++) {
      for (const breaker of breakersOf(made)) {
        fail(breaker)
        expect(breaker.state).toBe('open')
        expectSound()
        const trial = halfOpen(made, breaker)
        expect(breaker.state).toBe('half-open')
        expectSound(false)
        close(breaker, trial)
        expect(breaker.state).toBe('closed')
        expectSound()
      }
      use(made)
    }
  })

  it('with outlived trials', () => {
    for (const breaker of breakersOf(made)) {
      const trial = halfOpen(made, breaker)
      made.registry.advance(1000)
      expectSound(false)
      breaker.recordSuccess(trial)
      expect(breaker.state).toBe('open')
      expectSound()
    }
  })

  it('after every command', () => {
    for (const breaker of breakersOf(made)) {
      breaker.forceOpen({ reason: 'a reason, with ümlauts', ttlMs: 50 })
      expectSound()
      made.registry.advance(60)
      breaker.release(breaker.tryAcquire())
      breaker.open({ reason: '' })
      breaker.disable()
      breaker.recordFailure(breaker.tryAcquire())
      expectSound()
      breaker.metricsOnly()
      use(made)
      breaker.open()
      expectSound()
      breaker.reset()
      use(made)
      breaker.forceOpen()
      expectSound()
    }
  })

  it.each([
    ['from its start', 0],
    ['where the laps of its keys begin again', 2 ** 30 - 1500],
    ['where its numbers turn negative', 2 ** 31 - 1500],
    ['where its numbers begin again', 2 ** 32 - 1500],
  ])('with a journal that goes round, %s', (_, start) => {
    made.memory[HEADER.JOURNAL_HEAD] = start
    for (let turn = 0; turn < 700; turn++) {
      for (const breaker of breakersOf(made)) breaker.forceOpen({ reason: `turn ${turn}` })
      if (turn >= 350 && turn % 10 === 0) expectSound()
      for (const breaker of breakersOf(made)) breaker.reset()
    }
    expectSound()
  })

  it('with a slot that is marked dead, where a death is known', () => {
    use(made)
    const { memory, region, registry } = made
    markDead(memory, region.shape, threadId)
    expect(verify(registry.handle.buffer, { quiet: true })).toHaveLength(1)
    expect(verify(registry.handle.buffer, { quiet: true, deaths: true })).toEqual([])
    reapMarked(region, () => ({ cells: Object.values(made.cells), controls: [] }))
    expectSound()
  })

  it('with threads beyond the slots, and after its maker has left', () => {
    made.registry.close()
    use(made)
    for (const breaker of breakersOf(made)) fail(breaker)
    expectSound()
    const again = attachRegistry(made.registry.handle)
    const another = again.breaker('another')
    const permit = another.tryAcquire()
    expectSound(false)
    again.close()
    expectSound(false)
    another.recordSuccess(permit)
    expectSound()
  })

  it('after four threads at once, and a death', async () => {
    made = makeRegion(2)
    for (const job of ['hammer', 'failUntilRefused']) {
      for (const { name } of breakersOf(made)) {
        const args = { breaker: name, outcomes: 500, seed: 1 }
        made.registry.breaker(name).reset()
        if (job === 'hammer') made.registry.breaker(name).metricsOnly()
        await together(made.registry, 3, job, args)
        await until(() => made.registry.snapshot().threads === 1)
        expectSound()
      }
    }
    made = makeRegion()
    const holder = start(made.registry, 'take', { breaker: 'time', permits: 3 })
    await holder.result
    expectSound(false)
    await holder.worker.terminate()
    await until(() => made.registry.snapshot().threads === 1)
    expectSound()
  })
})

describe('planted in the header, the slots and the directory', () => {
  it.each([...PLANTS, ...PEOPLE])('%s', (_, plant, sentence) => {
    use(made)
    plant(made)
    expect(verify(made.registry.handle.buffer)).toContainEqual(expect.stringMatching(sentence))
  })

  it('one name twice', () => {
    const { definitions } = made.region.shape.breakers
    const second = definitions + DEFINITION_WORDS
    for (const offset of [4, 5, 6]) {
      made.memory[second + offset] = made.memory[definitions + offset] ?? 0
    }
    expect(verify(made.registry.handle.buffer)).toEqual([
      expect.stringMatching(/^entry 1, .* entry for "time" already/),
    ])
  })
})

describe('planted in a record', () => {
  it.each([...RECORDS, ...TALLIES])('%s', (_, plant, sentence) => {
    use(made)
    expectSound()
    plant(made)
    const found = verify(made.registry.handle.buffer, { quiet: true })
    expect(found).toContainEqual(expect.stringMatching(sentence))
  })

  it('a stock that waits beyond the minimum of calls', () => {
    const { count, cells, memory, registry } = made
    for (let call = 0; call < 3; call++) count.recordSuccess(count.tryAcquire())
    expectSound()
    memory[cells.count.record + cells.count.shape.stock] = 8192 + 8
    expect(verify(registry.handle.buffer, { quiet: true })).toEqual([
      expect.stringMatching(/STOCK says 8 outcomes until a sum, 7 may be enough/),
    ])
    memory[cells.count.record + cells.count.shape.stock] = (1 << 14) + 8192 + 7
    expect(verify(registry.handle.buffer, { quiet: true })).toEqual([
      expect.stringMatching(/STOCK says that the minimum of calls is there, 7 are missing/),
    ])
  })

  it('a verdict that nobody carried out, unless somebody died', () => {
    const { row, cells, memory, registry } = made
    halfOpen(made, row)
    const [place, generation] = [placeLong(cells.row), row.snapshot().generation]
    memory.longs[place] = packPlace(generation, 3, 1, 1)
    const violations = verify(registry.handle.buffer)
    expect(violations).toEqual([expect.stringMatching(/PLACES hold 0 successes and 1 failures/)])
    expect(verify(registry.handle.buffer, { deaths: true })).toEqual([])
  })

  it('a trial of a slot that nobody holds', () => {
    const { row, region, registry, memory } = made
    halfOpen(made, row)
    memory.longs[region.shape.threadsLong + 1] = 0n
    const violations = verify(registry.handle.buffer)
    expect(violations).toContainEqual(expect.stringMatching(/PLACE 0 is claimed by slot 1, which/))
    expect(violations).toContainEqual(expect.stringMatching(/totals of slot 1 have 1 calls in fl/))
  })
})

describe('planted in the history', () => {
  it.each([...KEYS, ...DETAILS, ...TRANSITIONS])('%s', (_, plant, sentence) => {
    makeHistory(made)
    expectSound()
    plant(made)
    const found = verify(made.registry.handle.buffer, { quiet: true })
    expect(found).toContainEqual(expect.stringMatching(sentence))
  })

  it('one entry beyond the head, which a death may leave, and a second, which it may not', () => {
    makeHistory(made)
    const { memory, registry } = made
    memory[HEADER.JOURNAL_HEAD] = 3
    expect(verify(registry.handle.buffer, { deaths: true })).toEqual([])
    memory[HEADER.JOURNAL_HEAD] = 2
    expect(verify(registry.handle.buffer, { deaths: true })).toEqual([
      expect.stringMatching(/entry 3, KEY is .*, JOURNAL_HEAD is only 2/),
    ])
  })

  it('no maker, but of the oldest of a ring that has gone round', () => {
    for (let turn = 0; turn < JOURNAL_ENTRIES; turn++) {
      made.row.forceOpen()
      made.row.reset()
    }
    const { memory, region, registry } = made
    // The first entry of that transition may have stood before it.
    memory.longs[region.shape.journalLong + JOURNAL.BY_LONG] = 0n
    expectSound()
    memory.longs[region.shape.journalLong + JOURNAL_LONGS + JOURNAL.BY_LONG] = 0n
    expect(verify(registry.handle.buffer)).toEqual([
      `journal, entry ${JOURNAL_ENTRIES + 1}, BY lacks its thread, yet nobody died`,
    ])
  })

  it('a transition counted and entered that nobody published, unless somebody died', () => {
    const { row, cells, memory, region, registry } = made
    fail(row)
    const word = memory[cells.row.state] ?? 0
    made.registry.advance(200)
    row.release(row.tryAcquire())
    memory[cells.row.state] = word
    const trial = placeLong(cells.row)
    memory.longs[trial] = 0n
    memory.longs[region.shape.journalLong + JOURNAL_LONGS + JOURNAL.BY_LONG] = 0n
    expect(verify(registry.handle.buffer, { deaths: true })).toEqual([])
    const found = verify(registry.handle.buffer)
    expect(found).toContainEqual(expect.stringMatching(/TRANSITIONS 1 to 2 was last counted/))
    expect(found).toContainEqual(expect.stringMatching(/its last, began 2, STATE says 1/))
  })
})
