/** Breakers that go, and others that get their records while somebody still holds the old ones. */
import { CLOSED, generationOf, REMOVED, stateOf } from '../../../src/memory/words/state.ts'
import { IdleBreakers } from '../../../src/protocol/idle.ts'
import { OVERFLOW_SLOT } from '../../../src/protocol/slots.ts'
import { readTotals } from '../../../src/protocol/totals.ts'
import { ready } from '../machine.ts'
import {
  call,
  checkCounts,
  checkSound,
  evict,
  Holder,
  maker,
  onlooker,
  type Records,
  records,
  remove,
  useShared,
} from '../removal-world.ts'
import { check, type Scenario } from '../scenario.ts'

/** The first record's STATE word, as the last step left it. */
function stateWord(of: Records): number {
  const entry = onlooker(of).directory.at(0)
  return entry === undefined ? 0 : (of.memory[entry.record] as number)
}

function evictions(name: string, about: string, slot: number, within: number): Scenario {
  return {
    name,
    about,
    kills: 0,
    bound: 3,
    marks: ['evicted', 'in use', 'made again', 'late'],
    alone: 900,
    set() {
      const of = records(2, 1)
      if (slot === OVERFLOW_SLOT) useShared(of)
      const old = maker(of).make('old')
      old.current()
      return {
        memory: of.memory,
        observesCounts: true,
        first: ['asker'],
        threads: {
          asker: () => {
            const core = new Holder(of, 1, slot).make('old')
            core.current()
            ready()
            return call(core)
          },
          evictor: () => {
            const holder = new Holder(of, 2)
            if (!evict(holder)) return 'in use'
            if (!holder.hasRoomFor('new')) return 'made again'
            call(holder.make('new'))
            return 'evicted'
          },
        },
        always: () => checkSound(of),
        finally(results, mark) {
          mark(results.evictor as string)
          const { permit, counted } = results.asker as ReturnType<typeof call>
          check(permit >= 0, 'refused')
          if (!counted) mark('late')
          if (results.evictor === 'in use') check(counted, 'late, and nobody has gone')
          checkCounts(of, results.evictor === 'evicted' ? 'new' : 'old', 1, within)
        },
      }
    },
  }
}

export const evictAgainstAsk = evictions(
  'evict-ask',
  'a breaker goes while a call is let in: its outcome is late, the next one in its record is exact',
  1,
  0,
)

export const evictAgainstShared = evictions(
  'evict-shared',
  'the same with a call that counts in the shared slot: off by that call at the most',
  OVERFLOW_SLOT,
  1,
)

export const twoEvict: Scenario = {
  name: 'evict-two',
  about: 'who makes room by a breaker that has gone meanwhile leaves the one that has its record',
  kills: 0,
  bound: 3,
  marks: ['evicted by another', 'evicted first'],
  alone: 900,
  set() {
    const of = records(2, 1)
    maker(of).make('old').current()
    return {
      memory: of.memory,
      observesCounts: true,
      threads: {
        // It knows of the old one alone.
        evictor: () => {
          const { directory } = new Holder(of, 1)
          return new IdleBreakers(directory, ({ name }) => name === 'old', 0).removeOne()
        },
        other: () => {
          const holder = new Holder(of, 2)
          if (!evict(holder)) return false
          return call(holder.make('new'))
        },
      },
      always: () => checkSound(of),
      finally({ evictor, other }, mark) {
        if (other === false) return mark('evicted first')
        mark('evicted by another')
        if (!evictor) checkCounts(of, 'new', 1)
        const { permit, counted } = other as ReturnType<typeof call>
        check(permit >= 0 && counted, 'another is gone, with a call in flight')
      },
    }
  },
}

/** A breaker that has counted something, then another that is named in its record and not begun. */
function named(slots: number): Records {
  const of = records(slots, 1)
  useShared(of)
  const old = maker(of).make('old')
  for (let times = 0; times < 2; times++) old.recordSuccess(old.tryAcquire())
  old.recordFailure(old.tryAcquire())
  remove(old)
  const { directory, wanted } = { directory: maker(of).directory, wanted: maker(of).wanted('new') }
  directory.make(wanted)
  return of
}

export const twoBegin: Scenario = {
  name: 'begin-two',
  about: 'two threads that share a slot begin one breaker: once, with nothing counted before',
  kills: 1,
  bound: 3,
  marks: ['both', 'one died'],
  alone: 900,
  set() {
    const of = named(2)
    const asks = (thread: number) => () => {
      return call(new Holder(of, thread, OVERFLOW_SLOT).make('new'))
    }
    return {
      memory: of.memory,
      threads: { a: asks(1), b: asks(2) },
      always() {
        checkSound(of)
        const word = stateWord(of)
        check(generationOf(word) <= 2, `generation ${generationOf(word)}`)
        check(stateOf(word) === (generationOf(word) === 2 ? CLOSED : REMOVED), 'begun as another')
      },
      finally(results, mark) {
        const { a, b } = results as Record<string, ReturnType<typeof call> | undefined>
        if (a === undefined || b === undefined) return mark('one died')
        mark('both')
        check(a.permit === 2 && a.counted && b.permit === 2 && b.counted, 'not of the new one')
        checkCounts(of, 'new', 2)
      },
    }
  },
}

export const takesOver: Scenario = {
  name: 'take-slot',
  about:
    'a thread counts for a new breaker where it counted for the old one; it may die on the way',
  kills: 1,
  marks: ['died', 'read before', 'read after'],
  alone: 900,
  set() {
    const of = records(2, 1)
    const old = new Holder(of, 1).make('old')
    for (let times = 0; times < 3; times++) call(old)
    remove(old)
    const made = maker(of).make('new')
    made.current()
    return {
      memory: of.memory,
      observesCounts: true,
      threads: {
        owner: () => call(new Holder(of, 1).make('new')),
        reader: () => readTotals(made.cell).admitted,
      },
      always: () => checkSound(of),
      finally({ owner, reader }, mark) {
        const { admitted, succeeded } = readTotals(made.cell)
        check(admitted <= 1 && succeeded <= admitted, `${admitted} admitted of one call`)
        if (owner === undefined) mark('died')
        else check(succeeded === 1, `${succeeded} good of one call`)
        if (reader === undefined) return
        check((reader as number) <= 1, `${reader} admitted of one call`)
        mark(reader === 0 ? 'read before' : 'read after')
      },
    }
  },
}
