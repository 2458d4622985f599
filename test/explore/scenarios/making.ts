/** Makers of breakers where others have gone: one name, one breaker, wherever there is room. */
import { RegistryFullError } from '../../../src/errors.ts'
import { encodeName } from '../../../src/options/breaker.ts'
import { machine } from '../machine.ts'
import {
  checkDirectory,
  checkSound,
  Holder,
  isBeingMade,
  maker,
  makes,
  type Records,
  ROW,
  records,
  remove,
} from '../removal-world.ts'
import { check, type Scenario } from '../scenario.ts'

/** A region in whose first record a breaker was, with room for one more. */
function vacated(slots = 2): Records {
  const of = records(slots)
  remove(maker(of).make('old'))
  return of
}

function remakers(
  name: string,
  about: string,
  names: readonly [string, string],
  bound = Number.POSITIVE_INFINITY,
): Scenario {
  return {
    name,
    about,
    kills: 1,
    bound,
    marks: ['in the vacant record', 'died while it was made', 'both'],
    alone: 300,
    set() {
      const of = vacated()
      return {
        memory: of.memory,
        threads: { a: makes(of, 1, names[0]), b: makes(of, 2, names[1]) },
        always: () => checkSound(of),
        finally(results, mark) {
          const { a, b } = results as Record<string, string | undefined>
          if (isBeingMade(of)) mark('died while it was made')
          const entries = checkDirectory(of)
          if (entries[0]?.name !== 'old') mark('in the vacant record')
          if (a === undefined || b === undefined) return
          mark('both')
          check((a === b) === (names[0] === names[1]), `made at ${a} and at ${b}`)
          check(entries.length === (a === b ? 1 : 2), `${entries.length} records`)
        },
      }
    },
  }
}

export const sameRemakers = remakers(
  'remake-same',
  'two makers of one name, one vacant record and room for another: one breaker of that name',
  ['x', 'x'],
)

export const otherRemakers = remakers(
  'remake-other',
  'two makers of two names and one vacant record: two breakers, one of them there',
  ['x', 'y'],
  3,
)

export const threeRemakers: Scenario = {
  name: 'remake-three',
  about: 'two makers of one name and one of another, one of whom may die',
  kills: 1,
  walks: 1500,
  marks: ['all', 'in the vacant record', 'died while it was made'],
  alone: 600,
  set() {
    const of = vacated(3)
    return {
      memory: of.memory,
      threads: { a: makes(of, 1, 'x'), b: makes(of, 2, 'x'), c: makes(of, 3, 'y') },
      always: () => checkSound(of),
      finally(results, mark) {
        const { a, b, c } = results as Record<string, string | undefined>
        if (isBeingMade(of)) mark('died while it was made')
        const entries = checkDirectory(of)
        if (entries[0]?.name !== 'old') mark('in the vacant record')
        check(![a, b, c].includes('no room'), 'no room, and there was')
        if (a !== undefined && b !== undefined) check(a === b, `made at ${a} and at ${b}`)
        if (a !== undefined && c !== undefined) check(a !== c, `two breakers at ${a}`)
        if (!Object.values(results).includes(undefined)) mark('all')
      },
    }
  },
}

export const removedWhileMade: Scenario = {
  name: 'remake-removed',
  about: 'what a maker has published is removed before the maker is done: it is made once',
  kills: 1,
  mortal: ['maker'],
  marks: ['removed', 'removed while it was made'],
  alone: 400,
  set() {
    const of = vacated()
    return {
      memory: of.memory,
      threads: {
        maker: makes(of, 1, 'x'),
        // By a list of what there is, as the views for people have it.
        remover: () => {
          const holder = new Holder(of, 2)
          const entry = holder.directory.present().find(({ name }) => name === 'x')
          if (entry === undefined) return false
          remove(holder.hold(entry))
          return isBeingMade(of) ? 'early' : true
        },
      },
      always: () => checkSound(of),
      finally(results, mark) {
        if (results.remover) mark('removed')
        if (results.remover === 'early') mark('removed while it was made')
        checkDirectory(of)
        const { directory } = new Holder(of, 3)
        const next = directory.make(new Holder(of, 0).wanted('z'))
        check(directory.find('z') === next, 'what was made is not there')
        checkDirectory(of)
      },
    }
  },
}

export const lastPlace: Scenario = {
  name: 'make-last',
  about: 'two makers of one name and room for one: the second finds it, and is not told of no room',
  kills: 1,
  marks: ['both', 'one died'],
  alone: 300,
  set() {
    const of = records(2, 1)
    return {
      memory: of.memory,
      threads: { a: makes(of, 1, 'x'), b: makes(of, 2, 'x') },
      always: () => checkSound(of),
      finally({ a, b }, mark) {
        checkDirectory(of)
        check(a !== 'no room' && b !== 'no room', 'no room for what is there')
        if (a === undefined || b === undefined) return mark('one died')
        mark('both')
        check(a === b, `made at ${a} and at ${b}`)
      },
    }
  },
}

export const lateHelper: Scenario = {
  name: 'remake-late',
  about: 'a maker is late while its breaker goes, and others get its record and its definition',
  kills: 0,
  bound: 2,
  marks: ['all', 'not yet made'],
  alone: 600,
  set() {
    const of = records(2, 3)
    remove(maker(of).make('old'))
    return {
      memory: of.memory,
      threads: {
        maker: () => {
          new Holder(of, 1).directory.make(new Holder(of, 0).wanted('x'))
          return true
        },
        others: () => {
          const holder = new Holder(of, 2)
          const entry = holder.directory.find('x')
          if (entry === undefined) return false
          remove(holder.hold(entry))
          for (const name of ['c', 'f']) holder.directory.make(holder.wanted(name))
          return true
        },
      },
      always: () => checkSound(of),
      finally(results, mark) {
        mark(results.others === true ? 'all' : 'not yet made')
        checkDirectory(of)
        const names = new Holder(of, 3).directory.present().map(({ name }) => name)
        if (results.others !== true) return
        check(names.includes('c') && names.includes('f'), `there are ${names}`)
      },
    }
  },
}

const PREFIX = 'g:'
const MAX_KEYS = 2

/** A group makes room by removing none: it is full at so many. */
function makesKey(of: Records, thread: number, key: string): () => string {
  return () => {
    const { directory } = new Holder(of, thread)
    const name = `${PREFIX}${key}`
    const group = { maxKeys: MAX_KEYS, prefixLength: PREFIX.length }
    const makeRoom = (): void => {
      const keys = directory.present().filter(entry => entry.name.startsWith(PREFIX))
      if (keys.length >= MAX_KEYS) throw new RegistryFullError('key', name, 'full', MAX_KEYS)
    }
    const { numbers } = new Holder(of, 0).wanted(name, ROW)
    try {
      directory.make({ name, bytes: encodeName(name), numbers, group, makeRoom })
      return 'made'
    } catch (error) {
      if (error instanceof RegistryFullError) return 'full'
      throw error
    }
  }
}

export const groupMaximum: Scenario = {
  name: 'group-max',
  about: 'two makers of keys of a group that has one less than it may: never one too many',
  kills: 1,
  marks: ['one made', 'one died'],
  alone: 300,
  set() {
    const of = records(2, 4)
    makesKey(of, 90, 'first')()
    remove(maker(of).make('old'))
    return {
      memory: of.memory,
      threads: { a: makesKey(of, 1, 'x'), b: makesKey(of, 2, 'y') },
      always: () => checkSound(of),
      finally(results, mark) {
        checkDirectory(of)
        const { directory } = new Holder(of, 99)
        const keys = directory.present().filter(({ name }) => name.startsWith(PREFIX))
        check(keys.length <= MAX_KEYS, `${keys.length} keys of ${MAX_KEYS}`)
        if (machine.threads.some(({ alive }) => !alive)) mark('one died')
        else {
          const said = [results.a, results.b].sort().join()
          check(said === 'full,made', `of two makers: ${said}`)
          mark('one made')
        }
      },
    }
  },
}
