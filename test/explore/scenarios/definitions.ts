/** Definitions that go from one breaker to another, while they are made and read. */
import { OPTION } from '../../../src/memory/layout.ts'
import { encodeName } from '../../../src/options/breaker.ts'
import type { Entry } from '../../../src/protocol/directory.ts'
import { numbersOf } from '../build.ts'
import { ready } from '../machine.ts'
import {
  checkDirectory,
  checkSound,
  Holder,
  maker,
  makes,
  type Records,
  ROW,
  records,
  remove,
} from '../removal-world.ts'
import { check, type Scenario } from '../scenario.ts'

/** Gives the breaker of that name another wait; whether it is there. */
function rewait(of: Records, { directory }: Holder, name: string, waitMs: number): boolean {
  const entry = directory.present().find(one => one.name === name)
  if (entry === undefined) return false
  const numbers = numbersOf(of.region, { ...ROW, waitDurationInOpenStateMs: waitMs })
  check(directory.replace(entry, encodeName(name), numbers), 'options that cannot be replaced')
  return true
}

function waitOf(entry: Entry): number | undefined {
  return entry.numbers[OPTION.WAIT_INITIAL_MS]
}

/** A region whose first record is vacant, and whose second is that of "z". */
function vacatedBeside(): { of: Records; first: Holder } {
  const of = records(2, 2)
  const first = maker(of)
  const old = first.make('old')
  first.make('z')
  remove(old)
  return { of, first }
}

export const configuredWhileMade: Scenario = {
  name: 'remake-config',
  about: 'what a maker has published gets other options before the maker is done: it is made once',
  kills: 1,
  mortal: ['maker'],
  bound: 2,
  marks: ['configured', 'before it was made', 'maker died'],
  alone: 600,
  set() {
    const { of } = vacatedBeside()
    return {
      memory: of.memory,
      threads: {
        maker: makes(of, 1, 'x'),
        // By a list of what there is; and the definition that it frees is the other's next.
        configurer: () => {
          const holder = new Holder(of, 2)
          return rewait(of, holder, 'x', 7) && rewait(of, holder, 'z', 8)
        },
      },
      always: () => checkSound(of),
      finally({ maker: at, configurer }, mark) {
        if (at === undefined) mark('maker died')
        mark(configurer ? 'configured' : 'before it was made')
        checkDirectory(of)
        if (!configurer) return
        const there = new Holder(of, 3).directory.present().map(one => `${one.name} ${waitOf(one)}`)
        check(there.join() === 'x 7,z 8', `there are ${there}`)
      },
    }
  },
}

export const readDefinitions: Scenario = {
  name: 'read-definition',
  about:
    'a definition is read while it is freed, and filled with that of another: never half of each',
  kills: 1,
  marks: ['as it was', 'as it is'],
  alone: 600,
  set() {
    const { of, first } = vacatedBeside()
    first.make('x')
    return {
      memory: of.memory,
      first: ['reader', 'writer'],
      threads: {
        reader: () => {
          const { directory } = new Holder(of, 1)
          directory.at(0)
          ready()
          const entry = directory.at(0)
          return entry && `${entry.name} from ${entry.first}, ${waitOf(entry)} ms`
        },
        writer: () => {
          const holder = new Holder(of, 2)
          rewait(of, holder, 'x', 7)
          ready()
          rewait(of, holder, 'x', 8)
          return rewait(of, holder, 'z', 9)
        },
      },
      always: () => checkSound(of),
      finally({ reader }, mark) {
        checkDirectory(of)
        if (reader === undefined) return
        const isOld = reader === 'x from 2, 7 ms'
        check(isOld || reader === 'x from 2, 8 ms', `read ${reader}`)
        mark(isOld ? 'as it was' : 'as it is')
      },
    }
  },
}
