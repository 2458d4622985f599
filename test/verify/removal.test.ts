/** The verifier and breakers that are removed, made in another's record or given other options. */
import { beforeEach, describe, expect, it } from 'vitest'
import { attachRegistry } from '../../src/index.ts'
import { DEFINITION, DEFINITION_WORDS, RECORD } from '../../src/memory/layout.ts'
import { packState } from '../../src/memory/words/state.ts'
import { packMaking, packThread } from '../../src/memory/words/threads.ts'
import { verify } from '../../src/verify/verify.ts'
import { DEFINITIONS, MAKINGS, REMOVALS } from './plants-removal.ts'
import { breakersOf, close, fail, halfOpen, type Made, makeRegion, use } from './support.ts'
import { askKeys, definitionOf, entryOf, makeAgain, makeRemoved } from './support-removal.ts'

let made: Made
beforeEach(() => {
  made = makeRegion()
})

function expectSound(quiet = true): void {
  expect(verify(made.registry.handle.buffer, { quiet })).toEqual([])
}

describe('sound regions', () => {
  it('with removed breakers, used before or not', () => {
    made.registry.remove('row')
    expectSound()
    use({ ...made, row: made.time })
    fail(made.time)
    for (const name of ['time', 'count']) made.registry.remove(name)
    expectSound()
  })

  it('with calls in flight of one that is removed, which are late', () => {
    const permits = breakersOf(made).map(breaker => breaker.tryAcquire())
    for (const { name } of breakersOf(made)) made.registry.remove(name)
    expectSound(false)
    breakersOf(made).forEach((breaker, index) => {
      breaker.recordSuccess(permits[index] ?? 0, 1)
    })
    expectSound()
  })

  it('with one that was made in the record of another, before it is used and after', () => {
    close(made.row, halfOpen(made, made.row))
    made.registry.remove('row')
    const again = makeAgain(made, 'again')
    expect(entryOf(made, 'again').record).toBe(made.cells.row.record)
    expectSound()
    again.recordSuccess(again.tryAcquire(), 1)
    expectSound()
    const trial = halfOpen(made, again)
    expectSound(false)
    close(again, trial)
    expectSound()
    made.registry.remove('again')
    expectSound()
  })

  it('with one that its handle made anew', () => {
    use(made)
    made.registry.remove('row')
    made.registry.remove('time')
    use(made)
    expectSound()
    for (const breaker of breakersOf(made)) close(breaker, halfOpen(made, breaker))
    expectSound()
  })

  it('with other options in every state', () => {
    for (const breaker of breakersOf(made)) {
      breaker.configure({ failureRateThreshold: 0.01, minimumNumberOfCalls: 1 })
      expectSound()
      breaker.recordSuccess(breaker.tryAcquire(), 1)
      breaker.configure({ permittedNumberOfCallsInHalfOpenState: 60, trialTimeoutMs: 9000 })
      const trials = [halfOpen(made, breaker)]
      for (let more = 0; more < 9; more++) trials.push(breaker.tryAcquire())
      breaker.configure({ permittedNumberOfCallsInHalfOpenState: 3, trialTimeoutMs: 10 })
      expectSound(false)
      for (const trial of trials) breaker.release(trial)
      expectSound()
      breaker.forceOpen()
      breaker.configure({ waitDurationInOpenStateMs: 1 })
      expectSound()
    }
  })

  it('with keyed breakers that come and go', () => {
    for (let keys = 1; keys < 40; keys += 7) {
      askKeys(made, keys)
      expectSound()
    }
  })

  it('with one record that very many had', () => {
    for (let turn = 0; turn < 600; turn++) {
      made.registry.remove(turn === 0 ? 'row' : `row ${turn - 1}`)
      const breaker = makeAgain(made, `row ${turn}`)
      if (turn % 3 === 0) close(breaker, halfOpen(made, breaker))
      if (turn % 50 === 0) expectSound()
    }
    expectSound()
  })

  it('with threads beyond the slots', () => {
    made.registry.close()
    const registry = attachRegistry(made.registry.handle)
    makeRemoved({ ...made, registry })
    expectSound()
    registry.close()
    expectSound()
  })

  it('as the plants below find it', () => {
    makeRemoved(made)
    expectSound()
  })
})

describe('planted', () => {
  it.each([...MAKINGS, ...DEFINITIONS, ...REMOVALS])('%s', (_, plant, sentence) => {
    makeRemoved(made)
    plant(made)
    const found = verify(made.registry.handle.buffer, { quiet: true })
    expect(found).toContainEqual(expect.stringMatching(sentence))
  })

  it('a making of an entry after a gap', () => {
    const { memory, region, registry } = made
    const making = { sequence: 4, definition: 60, entry: 5 }
    memory.longs[region.shape.breakers.makingLong] = packMaking(making)
    expect(verify(registry.handle.buffer)).toContainEqual(
      expect.stringMatching(/^MAKING is 0x\w+: entry 5, there are 3/),
    )
  })

  it('a sequence that is not the number of entries, where each was made once', () => {
    use(made)
    made.memory.longs[made.region.shape.breakers.makingLong] = packMaking({
      sequence: 4,
      definition: -1,
      entry: 0,
    })
    expect(verify(made.registry.handle.buffer)).toEqual([
      expect.stringMatching(/^MAKING is 0x\w+: 4 were made, the directory says 3/),
    ])
  })

  it('a name twice, unless one of them is removed', () => {
    makeRemoved(made)
    const at = definitionOf(made, 'again')
    const words = [DEFINITION.NAME_BYTES, DEFINITION.NAME, DEFINITION.NAME + 1]
    const name = words.map(offset => made.memory[definitionOf(made, 'time') + offset] ?? 0)
    words.forEach((offset, index) => {
      made.memory[at + offset] = name[index] ?? 0
    })
    expect(verify(made.registry.handle.buffer)).toContainEqual(
      expect.stringMatching(/^entry \d, .* entry for "time" already/),
    )
    made.registry.remove('time')
    expectSound()
  })
})

describe('left by who died, and by nobody else', () => {
  it('a making, and its definition', () => {
    use(made)
    const { memory, region, registry } = made
    const { makingLong } = region.shape.breakers
    const definition = 5
    memory.longs[(definitionOf(made, 'time') + definition * DEFINITION_WORDS) / 2] = packThread(
      true,
      0,
      {
        thread: 77,
        parent: 0,
      },
    )
    memory.longs[makingLong] = packMaking({ sequence: 4, definition, entry: 3 })
    expect(verify(registry.handle.buffer, { quiet: true, deaths: true })).toEqual([])
    const found = verify(registry.handle.buffer, { quiet: true })
    expect(found).toEqual([expect.stringMatching(/^MAKING is 0x\w+: yet nobody makes anything/)])
  })

  it('a definition that was taken out of its entry', () => {
    makeRemoved(made)
    const { memory, region, registry } = made
    const { definitions, definitionCount } = region.shape.breakers
    const last = definitions + (definitionCount - 1) * DEFINITION_WORDS
    memory.longs[last / 2] = packThread(true, 0, { thread: 0, parent: 0 })
    expect(verify(registry.handle.buffer, { quiet: true, deaths: true })).toEqual([])
    expect(verify(registry.handle.buffer, { quiet: true })).toEqual([
      expect.stringMatching(/^definition \d+, HOLDER .* taken by thread 0 and never published/),
    ])
  })

  it('an edition that nobody raised', () => {
    makeRemoved(made)
    const { record } = entryOf(made, 'count')
    made.memory[record + RECORD.STATE] = packState(0, 0, 2)
    const { buffer } = made.registry.handle
    expect(verify(buffer, { quiet: true, deaths: true })).toEqual([])
    expect(verify(buffer)).toEqual([])
    expect(verify(buffer, { quiet: true })).toEqual([
      expect.stringMatching(/"count", word 0, STATE is of edition 2, its entry's is 3/),
    ])
  })
})
