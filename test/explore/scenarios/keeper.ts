/** Half-open while the keeper looks after it: `tend` against settling trials, askers and the clock. */
import { Core } from '../../../src/protocol/breaker.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { readSummary } from '../../../src/protocol/periodic.ts'
import { OVERFLOW_SLOT } from '../../../src/protocol/slots.ts'
import { readTime } from '../../../src/protocol/state.ts'
import { checkTrials, seenOf, type World, world } from '../build.ts'
import { ready } from '../machine.ts'
import { check, type Mark, type Scenario } from '../scenario.ts'
import { G, recorder } from './outcomes.ts'
import { checkRecovers, halfOpened, makeCall, type Settle, trial } from './trial-world.ts'

/** Of `halfOpened`: the generation of its trials, and the wait that begins where their leases end. */
const HALF_OPEN_GENERATION = 2
const WAIT_END = 250

/** What the keeper does in each of its rounds. */
function tends({ cell }: World, rounds: number): () => boolean {
  return () => {
    const core = new Core(cell, OVERFLOW_SLOT)
    for (let round = 0; round < rounds; round++) core.tend()
    return true
  }
}

/** Has its trial when the search begins. */
function holder({ cell }: World, slot: number, settle: Settle): () => number {
  return () => {
    const core = new Core(cell, slot)
    const permit = core.tryAcquire()
    ready()
    makeCall(permit)
    core[settle](permit)
    return permit
  }
}

/** To just before the leases end, and to their end. */
function leasesEnd({ clock }: World): () => boolean {
  return () => {
    clock.advance(49)
    clock.advance(1)
    return true
  }
}

/** One transition at the most, P2 in every state. */
function checkOneVerdict({ cell }: World): void {
  checkTrials(cell)
  const { generation } = seenOf(cell)
  check(generation <= HALF_OPEN_GENERATION + 1, `a second transition, to generation ${generation}`)
}

/** How it ended, and P3. Only the lease can have opened it, and the wait counts from its end. */
function checkEnd(made: World, mark: Mark): void {
  const { cell } = made
  const { state, totals } = snapshotOf(new Core(cell, 1))
  mark(state)
  if (state === 'open') {
    const until = readTime(cell, HALF_OPEN_GENERATION + 1)
    check(until === WAIT_END, `the wait ends at ${until}`)
  }
  if (totals.late > 0) mark('late')
  checkRecovers(made)
}

export const tendAgainstSettling: Scenario = {
  name: 'tend-settle',
  about: 'a trial settles just under, at and past its lease, while the keeper looks twice',
  kills: 1,
  marks: ['closed', 'open', 'late', 'half-open'],
  alone: 400,
  set() {
    const made = halfOpened(1, 1)
    return {
      memory: made.memory,
      threads: {
        holder: holder(made, 1, 'recordSuccess'),
        keeper: tends(made, 2),
        time: leasesEnd(made),
      },
      first: ['holder'],
      always: () => checkOneVerdict(made),
      finally: (_results, mark) => checkEnd(made, mark),
    }
  },
}

export const tendAgainstAsker: Scenario = {
  name: 'tend-ask',
  about:
    'a dead thread holds the only trial and its lease ends, while the keeper and an asker look',
  kills: 1,
  marks: ['open', 'half-open'],
  alone: 400,
  set() {
    const made = halfOpened(1, 2)
    new Core(made.cell, 1).tryAcquire()
    return {
      memory: made.memory,
      threads: {
        asker: trial(made, 2, 'recordSuccess'),
        keeper: tends(made, 2),
        time: leasesEnd(made),
      },
      always: () => checkOneVerdict(made),
      finally(results, mark) {
        check((results.asker ?? -1) === -1, 'a trial was admitted beside one in flight')
        checkEnd(made, mark)
      },
    }
  },
}

export const tendAmongAll: Scenario = {
  name: 'tend-all',
  about: 'the lease of a trial ends while it settles, another thread asks and the keeper looks',
  kills: 1,
  mortal: ['holder', 'asker', 'keeper'],
  bound: 2,
  marks: ['closed', 'open', 'late'],
  alone: 400,
  set() {
    const made = halfOpened(1, 2)
    return {
      memory: made.memory,
      threads: {
        holder: holder(made, 1, 'recordSuccess'),
        asker: trial(made, 2, 'release'),
        keeper: tends(made, 1),
        time: leasesEnd(made),
      },
      first: ['holder'],
      always: () => checkOneVerdict(made),
      finally: (_results, mark) => checkEnd(made, mark),
    }
  },
}

export const tendAmongPlaces: Scenario = {
  name: 'tend-places',
  about: 'two trials settle, a good and a bad one, while the keeper looks at their places',
  kills: 1,
  marks: ['open', 'half-open'],
  alone: 400,
  set() {
    const made = halfOpened(2, 2)
    const { memory, cell } = made
    return {
      memory,
      threads: {
        good: holder(made, 1, 'recordSuccess'),
        bad: holder(made, 2, 'recordFailure'),
        keeper: tends(made, 1),
      },
      first: ['good', 'bad'],
      always: () => checkOneVerdict(made),
      finally(results, mark) {
        const { state, totals } = snapshotOf(new Core(cell, 1))
        mark(state)
        check(state !== 'closed', 'closed with one good trial of two')
        if (results.good === undefined || results.bad === undefined) return
        check(state === 'open' && totals.failed === 2, `${state} after a bad trial`)
        checkRecovers(made)
      },
    }
  },
}

const WINDOW_MS = 100
const ROUND_MS = 50
/** A sum is due every 100 ms, and a round may come just before that. */
const OLDEST_SUM_MS = 100 + ROUND_MS

export const tendAgainstRecorder: Scenario = {
  name: 'tend-window',
  about: 'a window ends while a thread may record: the keeper publishes soon what is left of it',
  kills: 1,
  mortal: ['recorder'],
  marks: ['empty', 'not empty'],
  alone: 400,
  set() {
    const made = world({
      slidingWindow: { type: 'time', durationMs: WINDOW_MS, buckets: 1 },
      minimumNumberOfCalls: 50,
    })
    const { memory, cell, clock } = made
    // Takes the periodic duty, for the last time in this window.
    clock.advance(60)
    recorder(made, 1, [G])()
    return {
      memory,
      threads: {
        recorder: recorder(made, 2, [G]),
        keeper: () => {
          const core = new Core(cell, OVERFLOW_SLOT)
          for (let round = 0; round < 4; round++) {
            clock.advance(ROUND_MS)
            core.tend()
          }
          return true
        },
      },
      finally(_results, mark) {
        const published = readSummary(cell, 0)
        const now = clock.now()
        if (published === undefined) return
        mark(published.counts.calls === 0 ? 'empty' : 'not empty')
        const isPast = Math.floor(published.at / WINDOW_MS) < Math.floor(now / WINDOW_MS)
        const isOld = now - published.at > OLDEST_SUM_MS
        const { calls } = published.counts
        check(!(calls > 0 && isPast && isOld), `${calls} calls since ${published.at} ms, at ${now}`)
      },
    }
  },
}
