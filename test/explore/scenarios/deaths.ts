/** Dead threads' slots: one marks them, anybody frees them, and each of these may die as well. */
import { DEFINITION, DEFINITION_WORDS } from '../../../src/memory/layout.ts'
import { isDead, isLive, packThread, threadOf } from '../../../src/memory/words/threads.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { claimSlot, markDead, slotWord } from '../../../src/protocol/slots.ts'
import { readTotals } from '../../../src/protocol/totals.ts'
import { reapMarked } from '../../../src/threads/deaths.ts'
import { type World, world, worldOf } from '../build.ts'
import { check, type Scenario } from '../scenario.ts'

const ROW = { slidingWindow: { type: 'consecutive', failures: 5 } } as const

/** What a thread does that is told of a death. */
function toldOf({ region, cell }: World, dead: number): () => boolean {
  return () => {
    markDead(region.memory, region.shape, dead)
    reapMarked(region, () => ({ cells: [cell], controls: [] }))
    return true
  }
}

/** What the keeper does: it is told of nobody. */
function keeps({ region, cell }: World, rounds: number): () => boolean {
  return () => {
    for (let round = 0; round < rounds; round++)
      reapMarked(region, () => ({ cells: [cell], controls: [] }))
    return true
  }
}

const NEWCOMER = 9

/** A thread that comes by and claims a slot and a call. */
function newcomer({ region, cell }: World): () => number {
  return () => {
    const slot = claimSlot(region.memory, region.shape, { thread: NEWCOMER, parent: 0 })
    if (slot !== 0) new Core(cell, slot).tryAcquire()
    return slot
  }
}

/** The thread whose slot it is; undefined: it is free. */
function holderOf({ region, memory }: World, slot: number): number | undefined {
  const word = slotWord(memory, region.shape, slot)
  return isLive(word) ? threadOf(word).thread : undefined
}

function isMarked({ region, memory }: World, slot: number): boolean {
  return isDead(slotWord(memory, region.shape, slot))
}

export const markerDies: Scenario = {
  name: 'mark-finish',
  about: 'a reaper may die once it has marked a slot: the keeper frees it, for a thread that comes',
  kills: 1,
  mortal: ['reaper', 'keeper'],
  marks: ['freed by the keeper', 'freed by the reaper', 'reused', 'left to the next round'],
  alone: 400,
  set() {
    const made = world(ROW, 1)
    const { memory, cell } = made
    const dead = new Core(cell, 1)
    for (let call = 0; call < 2; call++) dead.tryAcquire()
    return {
      memory,
      threads: {
        reaper: toldOf(made, 1),
        keeper: keeps(made, 2),
        newcomer: newcomer(made),
      },
      finally(results, mark) {
        const isReaperDead = results.reaper === undefined
        if (isMarked(made, 1)) mark('left to the next round')
        else if (holderOf(made, 1) !== 1) {
          mark(isReaperDead ? 'freed by the keeper' : 'freed by the reaper')
        }
        keeps(made, 1)()
        // Dead before it has marked: its own death is told, to its parent.
        if (isReaperDead) toldOf(made, 1)()
        const isReused = results.newcomer === 1
        if (isReused) mark('reused')
        check(holderOf(made, 1) === (isReused ? NEWCOMER : undefined), 'not freed, or freed twice')
        const { abandoned, inFlight } = readTotals(cell)
        check(abandoned === 2, `${abandoned} abandoned of 2`)
        check(inFlight === (isReused ? 1 : 0), `${inFlight} calls in flight`)
      },
    }
  },
}

const GRANDPARENT = 11
const PARENT = 12
const CHILD = 13
const STRANGER = 14
/** The child's slot is the lower one: it is found in a second round. */
const SLOT = { child: 1, parent: 2, grandparent: 3, stranger: 4 } as const

function family(): World {
  const made = worldOf(ROW, [
    { thread: CHILD, parent: PARENT },
    { thread: PARENT, parent: GRANDPARENT },
    { thread: GRANDPARENT, parent: 0 },
    { thread: STRANGER, parent: 0 },
  ])
  for (const slot of Object.values(SLOT)) new Core(made.cell, slot).tryAcquire()
  holdDefinition(made)
  return made
}

const SPARE_DEFINITION = 1

function definitionLong({ region }: World): number {
  const start = region.shape.breakers.definitions + SPARE_DEFINITION * DEFINITION_WORDS
  return start / 2 + DEFINITION.HOLDER_LONG
}

/** The child has died while it made a breaker. */
function holdDefinition(made: World): void {
  const word = packThread(true, 0, { thread: CHILD, parent: PARENT })
  made.memory.longs[definitionLong(made)] = word
}

export const familyDies: Scenario = {
  name: 'mark-family',
  about:
    'parent and child are dead; who marks them may die between the two, and is then marked too',
  kills: 1,
  mortal: ['marker'],
  bound: 2,
  marks: ['child marked alone', 'told of both', 'child reused'],
  alone: 400,
  set() {
    const made = family()
    const { memory, cell } = made
    return {
      memory,
      threads: {
        marker: toldOf(made, PARENT),
        keeper: keeps(made, 1),
        other: toldOf(made, GRANDPARENT),
        newcomer: newcomer(made),
      },
      afterDeathOf: { other: 'marker' },
      always(mark) {
        if (isMarked(made, SLOT.child) && !isMarked(made, SLOT.parent)) mark('child marked alone')
      },
      finally(results, mark) {
        keeps(made, 1)()
        const isMarkerDead = results.marker === undefined
        if (isMarkerDead) mark('told of both')
        const reused = results.newcomer as number
        if (reused === SLOT.child) mark('child reused')
        for (const [whose, slot] of Object.entries(SLOT)) {
          const isAlive = whose === 'stranger' || (whose === 'grandparent' && !isMarkerDead)
          const kept = isAlive ? { grandparent: GRANDPARENT, stranger: STRANGER }[whose] : undefined
          const holder = slot === reused ? NEWCOMER : kept
          check(holderOf(made, slot) === holder, `the ${whose}'s slot is not as it should be`)
        }
        const { abandoned, inFlight } = readTotals(cell)
        const dead = isMarkerDead ? 3 : 2
        check(abandoned === dead, `${abandoned} calls abandoned of ${dead}`)
        check(inFlight === 4 - dead + (reused > 0 ? 1 : 0), `${inFlight} calls in flight`)
        check(memory.longs[definitionLong(made)] === 0n, 'a dead maker keeps its definition')
      },
    }
  },
}
