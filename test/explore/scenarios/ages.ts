/** Calls in flight told by age: turn-over, settling, deaths and commands against sums. */

import { CLOSED } from '../../../src/memory/words/state.ts'
import { isDead } from '../../../src/memory/words/threads.ts'
import type { SharedOptions } from '../../../src/options/types.ts'
import { countHanging } from '../../../src/protocol/ages.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { makeCore } from '../../../src/protocol/breaker-aged.ts'
import { carryOutCommand, plainCommand } from '../../../src/protocol/command.ts'
import { claimSlot, markDead, slotWord } from '../../../src/protocol/slots.ts'
import { emptyCounts } from '../../../src/protocol/window.ts'
import { reapMarked } from '../../../src/threads/deaths.ts'
import { checkState, ownedShardWords, seenOf, type World, world } from '../build.ts'
import { check, type Scenario } from '../scenario.ts'

/** Steps of a millisecond: a call hangs in the 17th after its own, and after 20 its place is due. */
const SLOW_MS = 16
const HANGS_AFTER_MS = 17
const RING_MS = 20

const OPTIONS = {
  countHangingCalls: true,
  slowCallDurationThresholdMs: SLOW_MS,
  slidingWindow: { type: 'time', durationMs: 1000, buckets: 1 },
  minimumNumberOfCalls: 50,
} as const satisfies SharedOptions

function begin(core: Core, calls: number): number[] {
  return Array.from({ length: calls }, () => core.tryAcquire())
}

/** Counts the hanging calls of the present generation as `slot` does, at a time. */
function hangingAt({ cell }: World, now: number): number {
  return countHanging(cell, seenOf(cell).generation, now)
}

export const ageTurnOver: Scenario = {
  name: 'age-turn-over',
  about:
    'calls leave the ring while another thread adds up: it may miss them, never sees one twice',
  kills: 1,
  marks: ['all', 'on their way'],
  alone: 900,
  set() {
    const made = world(OPTIONS)
    const { memory, cell, clock } = made
    const owner = makeCore(cell, 1)
    begin(owner, 1)
    clock.advance(RING_MS)
    begin(owner, 2)
    clock.advance(RING_MS)
    const now = clock.now()
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        owner: () => makeCore(cell, 1).tryAcquire(),
        reader: () => hangingAt(made, now),
      },
      finally(results, mark) {
        const seen = results.reader
        check([1, 3, undefined].includes(seen as number), `${seen} calls hang of 3`)
        if (seen === 3) mark('all')
        if (seen === 1) mark('on their way')
        if (results.owner !== undefined) check(hangingAt(made, now) === 3, 'calls were lost')
      },
    }
  },
}

export const ageGeneration: Scenario = {
  name: 'age-generation',
  about: 'bucket and count pass to a new generation while another thread adds up for that',
  kills: 1,
  marks: ['seen', 'on its way'],
  alone: 900,
  set() {
    const made = world(OPTIONS)
    const { memory, cell, clock } = made
    const owner = makeCore(cell, 1)
    begin(owner, 3)
    clock.advance(RING_MS)
    begin(owner, 1)
    carryOutCommand(new Core(cell, 2), plainCommand(CLOSED))
    clock.advance(1)
    // Of the new generation; its place still holds none. The other place holds one of the old.
    begin(owner, 1)
    clock.advance(RING_MS)
    const now = clock.now()
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        owner: () => makeCore(cell, 1).tryAcquire(),
        reader: () => countHanging(cell, 1, now),
      },
      finally(results, mark) {
        const seen = results.reader
        check([0, 1, undefined].includes(seen as number), `${seen} calls hang of 1`)
        if (seen === 1) mark('seen')
        if (seen === 0) mark('on its way')
        if (results.owner !== undefined) check(hangingAt(made, now) === 1, 'the call was lost')
      },
    }
  },
}

export const ageSettle: Scenario = {
  name: 'age-settle',
  about: 'calls that hang are settled as slow while another thread adds up: none counts twice',
  kills: 1,
  marks: ['both', 'one on its way'],
  alone: 900,
  set() {
    const made = world(OPTIONS)
    const { memory, cell, clock } = made
    const owner = makeCore(cell, 1)
    const [first = 0] = begin(owner, 1)
    clock.advance(RING_MS)
    // The first goes into the count, the second hangs in its bucket.
    const [second = 0] = begin(owner, 1)
    clock.advance(HANGS_AFTER_MS)
    const now = clock.now()
    return {
      memory,
      ownedWord: ownedShardWords(cell),
      threads: {
        owner: () => {
          const core = makeCore(cell, 1)
          core.recordSuccess(first, now)
          core.recordFailure(second, now)
          return true
        },
        reader: () => {
          const counts = emptyCounts()
          new Core(cell, 2).window.sum(0, now, counts)
          return counts.slowCalls
        },
      },
      finally(results, mark) {
        const seen = results.reader
        check([0, 1, 2, undefined].includes(seen as number), `${seen} slow calls of 2`)
        if (seen === 2) mark('both')
        if (seen === 1) mark('one on its way')
        const counts = emptyCounts()
        new Core(cell, 2).window.sum(0, now, counts)
        const { calls, slowCalls, failures } = counts
        if (results.owner === undefined) return
        check(calls === 2 && slowCalls === 2 && failures === 1, `${slowCalls} of ${calls} slow`)
      },
    }
  },
}

const NEWCOMER = 9

export const ageDeath: Scenario = {
  name: 'age-death',
  about: 'a thread dies with calls that hang: they are gone with its slot, whoever has that next',
  kills: 1,
  marks: ['still hung', 'marked', 'reused'],
  alone: 900,
  set() {
    const made = world(OPTIONS)
    const { memory, cell, region, clock } = made
    const dead = makeCore(cell, 1)
    begin(dead, 1)
    clock.advance(RING_MS)
    begin(dead, 2)
    clock.advance(RING_MS)
    const now = clock.now()
    const reap = (): boolean => {
      markDead(memory, region.shape, 1)
      reapMarked(region, () => ({ cells: [cell], controls: [] }))
      return true
    }
    return {
      memory,
      threads: {
        reaper: reap,
        newcomer: () => {
          const slot = claimSlot(memory, region.shape, { thread: NEWCOMER, parent: 0 })
          if (slot === 1) makeCore(cell, slot).tryAcquire()
          return slot
        },
        reader: () => hangingAt(made, now),
      },
      always(mark) {
        if (!isDead(slotWord(memory, region.shape, 1))) return
        mark('marked')
        check(hangingAt(made, now) === 0, 'calls of a thread that is known to be dead hang')
      },
      finally(results, mark) {
        const seen = results.reader
        // The slot may change hands while it is read: each part is one holder's.
        check(seen === undefined || (seen as number) <= 3, `${seen} calls hang of 3`)
        if (seen === 3) mark('still hung')
        reap()
        const later = hangingAt(made, now + HANGS_AFTER_MS)
        const isReused = results.newcomer === 1
        if (isReused) mark('reused')
        const isNewcomerDead = results.newcomer === undefined
        const allowed = isReused ? [1] : isNewcomerDead ? [0, 1] : [0]
        check(allowed.includes(later), `${later} calls hang after the death`)
        check(hangingAt(made, now) === 0, 'a dead thread’s calls hang')
      },
    }
  },
}

export const ageOpens: Scenario = {
  name: 'age-opens',
  about:
    'a blocked thread’s calls hang: another’s ask opens, and not what a command has begun since',
  kills: 1,
  marks: ['opened', 'reset first', 'opened, then reset'],
  alone: 900,
  set() {
    const made = world({ ...OPTIONS, minimumNumberOfCalls: 2 })
    const { memory, cell, clock } = made
    begin(makeCore(cell, 1), 2)
    clock.advance(HANGS_AFTER_MS)
    return {
      memory,
      threads: {
        asker: () => makeCore(cell, 2).tryAcquire(),
        operator: () => {
          carryOutCommand(new Core(cell, 0), plainCommand(CLOSED))
          return true
        },
      },
      always: () => checkState(cell),
      finally(results, mark) {
        const { generation, state } = seenOf(cell)
        check(state === 'closed' || generation === 1, `${state} in generation ${generation}`)
        if (state === 'open') {
          mark('opened')
          check(results.asker === -1 || results.asker === undefined, 'admitted while open')
        } else if (generation === 1) mark('reset first')
        else if (generation === 2) mark('opened, then reset')
        const isAskerAlive = results.asker !== undefined
        check(!isAskerAlive || generation > 0, 'calls hung, and nothing opened')
      },
    }
  },
}

export const ageReleases: Scenario = {
  name: 'age-releases',
  about: 'two threads each release a call that hung: what is left has failed, so one of them opens',
  kills: 0,
  marks: ['opened by the first', 'opened by the second'],
  alone: 900,
  set() {
    const made = world({ ...OPTIONS, minimumNumberOfCalls: 1, failureRateThreshold: 1 }, 3)
    const { memory, cell, clock } = made
    const [first = 0] = begin(makeCore(cell, 1), 1)
    const [second = 0] = begin(makeCore(cell, 2), 1)
    const third = makeCore(cell, 3)
    const [failed = 0] = begin(third, 1)
    clock.advance(HANGS_AFTER_MS)
    // One of three: closed.
    third.recordFailure(failed)
    const release = (slot: number, permit: number) => () => {
      makeCore(cell, slot).release(permit)
      return seenOf(cell).state
    }
    return {
      memory,
      threads: { first: release(1, first), second: release(2, second) },
      always: () => checkState(cell),
      finally(results, mark) {
        const { state, generation } = seenOf(cell)
        check(state === 'open' && generation === 1, `${state} in generation ${generation}`)
        mark(results.first === 'open' ? 'opened by the first' : 'opened by the second')
      },
    }
  },
}
