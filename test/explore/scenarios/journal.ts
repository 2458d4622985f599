/** The journal: an entry for every transition, in order, and one thread that announces it. */
import { load } from '#atomics'
import { HEADER, JOURNAL, LINE_WORDS, RECORD, STATES } from '../../../src/memory/layout.ts'
import { isKeyOf, makerOf, unpackKey } from '../../../src/memory/words/journal.ts'
import {
  CLOSED,
  DISABLED,
  FORCED_OPEN,
  generationOf,
  packState,
} from '../../../src/memory/words/state.ts'
import { editionOfEntry } from '../../../src/memory/words/threads.ts'
import { lowOf } from '../../../src/memory/words/timed.ts'
import type { Cell } from '../../../src/protocol/cell.ts'
import {
  type JournalEntry,
  NOT_YET,
  OVERRUN,
  readJournalEntry,
} from '../../../src/protocol/history.ts'
import { claimAnnouncement, entryLong } from '../../../src/protocol/journal.ts'
import { at, transition } from '../../../src/protocol/state.ts'
import { type World, world } from '../build.ts'
import { check, type Scenario, type Setting } from '../scenario.ts'

const ROW = { slidingWindow: { type: 'consecutive', failures: 1 } } as const

function made(): World {
  return world(ROW, 3)
}

/** The breaker as thread `thread` has it, who listens or not. */
function as(cell: Cell, thread: number, listens = false): Cell {
  return { ...cell, thread, news: { listensTo: () => listens, notice: () => {} } }
}

function stateWord(cell: Cell): number {
  return cell.memory[cell.state] as number
}

/** One attempt to move the breaker on from the STATE word `seen`. */
function moveOn(cell: Cell, seen: number, target: number): boolean {
  return transition(cell, seen, target, { ...at(0), byHand: true })
}

/** The same from generation 0. */
function move(cell: Cell, target: number): boolean {
  return moveOn(cell, packState(0, CLOSED, editionOfEntry(cell.entry)), target)
}

/** The same from wherever it is. */
function again(cell: Cell, target: number): boolean {
  return moveOn(cell, load(cell.memory, cell.state), target)
}

/** The entries from `first` on, without looking further than one is missing. */
function entriesFrom(cell: Cell, first: number): JournalEntry[] {
  const found: JournalEntry[] = []
  for (;;) {
    const entry = readJournalEntry(cell, (first + found.length) | 0)
    if (entry === NOT_YET || entry === OVERRUN) return found
    found.push(entry)
  }
}

/** Steps 1 and 2 of protocol/journal.ts, at every step. */
function checkJournal(cell: Cell, first: number): void {
  const head = cell.memory[HEADER.JOURNAL_HEAD] as number
  for (let number = first; number !== head; number = (number + 1) | 0) {
    const word = cell.memory.longs[entryLong(cell, number)] as bigint
    check(isKeyOf(word, number), `entry ${number} is missing before head ${head}`)
  }
  let last = 0
  for (const { generation } of entriesFrom(cell, first)) {
    const isInOrder = generation === last || generation === last + 1
    check(isInOrder && generation > 0, `generation ${generation} stands behind ${last}`)
    last = generation
  }
  const generation = generationOf(stateWord(cell))
  check(last >= generation, `generation ${generation} has no entry`)
  check(last <= generation + 1, `an entry of generation ${last} at generation ${generation}`)
  const counted = countTransitions(cell)
  check(counted >= generation, `${counted} transitions counted at generation ${generation}`)
  check(counted <= generation + 1, `${counted} transitions counted at generation ${generation}`)
}

function countTransitions({ memory, recordLong }: Cell): number {
  const start = recordLong + RECORD.TRANSITIONS_LONG
  return memory.longs
    .slice(start, start + STATES * STATES)
    .reduce((sum, word) => sum + lowOf(word), 0)
}

function contest(first: number, set: (made: World) => void): Setting {
  const made = world(ROW, 2)
  const { memory, cell } = made
  set(made)
  return {
    memory,
    observesJournal: true,
    threads: {
      a: () => move(as(cell, 1), DISABLED),
      b: () => move(as(cell, 2), FORCED_OPEN),
    },
    always: () => checkJournal(cell, first),
    finally(results, mark) {
      const { a, b } = results
      if (a === undefined || b === undefined) {
        if (entriesFrom(cell, first).length > 0) mark('one died, entry there')
        return
      }
      check(a !== b, 'two made the same transition, or none')
      const [entry] = entriesFrom(cell, first)
      check(entry?.at === 0, 'the entry has no time')
      check(makerOf(entry?.by ?? 0) === (a ? 1 : 2), 'the entry names another maker')
      mark(entriesFrom(cell, first).length > 1 ? 'two entries' : 'one entry')
    },
  }
}

export const journalOne: Scenario = {
  name: 'journal-one',
  about: 'two threads want one transition: it has an entry before it is published, with its maker',
  kills: 1,
  marks: ['one entry', 'one died, entry there'],
  alone: 80,
  set: () => contest(0, () => {}),
}

export const journalWrap: Scenario = {
  name: 'journal-wrap',
  about: 'the same where the numbers of entries and their laps wrap, over entries of old',
  kills: 0,
  bound: 4,
  marks: ['one entry'],
  alone: 80,
  set: () =>
    contest(-1, ({ memory, cell }) => {
      memory[HEADER.JOURNAL_HEAD] = -1
      for (const number of [-1, 0, 1]) {
        const at = entryLong(cell, number)
        for (let long = 0; long <= JOURNAL.SLOW_LONG; long++) {
          memory.longs[at + long] = 0x1234567812345678n
        }
      }
    }),
}

/** A maker, and one that may find its transition decided: entries and counts stay in order. */
function helped(maker: (mine: Cell) => boolean, helper: (mine: Cell) => boolean): Setting {
  const { memory, cell } = made()
  return {
    memory,
    observesJournal: true,
    threads: { maker: () => maker(as(cell, 1)), helper: () => helper(as(cell, 2)) },
    always: () => checkJournal(cell, 0),
    finally(results, mark) {
      mark(results.helper === false ? 'helped' : 'alone')
    },
  }
}

export const journalHelper: Scenario = {
  name: 'journal-helper',
  about: 'a transition is helped by one, and moved on from by the other: entries stay in order',
  kills: 1,
  bound: 3,
  marks: ['helped', 'alone'],
  alone: 160,
  set() {
    const moveTwice = (mine: Cell): boolean => {
      move(mine, DISABLED)
      return again(mine, FORCED_OPEN)
    }
    return helped(moveTwice, mine => move(mine, DISABLED))
  },
}

export const journalAgain: Scenario = {
  name: 'journal-again',
  about: 'a transition whose maker stalls while the same happens again: each is counted once',
  kills: 0,
  bound: 2,
  marks: ['helped', 'alone'],
  alone: 260,
  set() {
    const helpAndGoRound = (mine: Cell): boolean => {
      const first = move(mine, DISABLED)
      again(mine, CLOSED)
      again(mine, DISABLED)
      return first
    }
    return helped(mine => move(mine, DISABLED), helpAndGoRound)
  },
}

export const journalBreakers: Scenario = {
  name: 'journal-breakers',
  about: 'transitions of two breakers at once: two entries, none lost, none over another',
  kills: 1,
  bound: 3,
  marks: ['both', 'one died'],
  alone: 90,
  set() {
    const { memory, cell } = made()
    // The second has a record of its own, behind the first.
    const start = cell.record + cell.shape.lines * LINE_WORDS
    const second = { ...cell, breaker: 1, record: start, recordLong: start / 2, state: start }
    return {
      memory,
      observesJournal: true,
      threads: {
        a: () => move(as(cell, 1), DISABLED),
        b: () => move(as(second, 2), DISABLED),
      },
      always() {
        const entries = entriesFrom(cell, 0)
        const head = memory[HEADER.JOURNAL_HEAD] as number
        check(head <= entries.length, 'an entry is missing before the head')
        for (const [breaker, of] of [cell, second].entries()) {
          const mine = entries.filter(entry => entry.breaker === breaker)
          check(mine.length <= 1, `${mine.length} entries of one transition, made by one thread`)
          if (generationOf(stateWord(of)) === 1) check(mine.length === 1, 'published, no entry')
        }
      },
      finally(results, mark) {
        mark(results.a && results.b ? 'both' : 'one died')
      },
    }
  },
}

/** A listener that reads on until the transition is there, at the most so often. */
function listen(cell: Cell, thread: number): boolean | undefined {
  for (let look = 0; look < 2; look++) {
    const entry = readJournalEntry(cell, 0)
    if (entry === NOT_YET || entry === OVERRUN) continue
    check(unpackKey(cell.memory.longs[entryLong(cell, 0)] as bigint).to === DISABLED, 'another')
    return claimAnnouncement(cell, 0, thread)
  }
  return undefined
}

function announced(listens: boolean): Setting {
  const { memory, cell } = made()
  return {
    memory,
    observesJournal: true,
    threads: {
      maker: () => {
        move(as(cell, 1, listens), DISABLED)
        return listens ? claimAnnouncement(cell, 0, 1) : undefined
      },
      b: () => listen(as(cell, 2), 2),
      c: () => listen(as(cell, 3), 3),
    },
    finally(results, mark) {
      const selves = Object.values(results).filter(result => result === true)
      check(selves.length <= 1, `${selves.length} threads announce one transition as their own`)
      const [entry] = entriesFrom(cell, 0)
      if (entry === undefined) return
      const heard = Object.values(results).filter(result => result !== undefined)
      if (heard.length > 0) check(selves.length === 1, 'nobody announces it as its own')
      if (selves.length === 0) return
      if (results.maker) mark('by its maker')
      else mark('by a listener')
    },
  }
}

export const announceMaker: Scenario = {
  name: 'announce-maker',
  about: 'a maker that listens, and two other listeners: exactly one announces the transition',
  kills: 0,
  bound: 3,
  marks: ['by its maker', 'by a listener'],
  alone: 90,
  set: () => announced(true),
}

export const announceOther: Scenario = {
  name: 'announce-other',
  about: 'a maker that does not listen, or dies: exactly one of two listeners announces',
  kills: 1,
  mortal: ['maker'],
  bound: 3,
  marks: ['by a listener'],
  alone: 90,
  set: () => announced(false),
}
