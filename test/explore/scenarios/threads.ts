/** Slots, reaping, leaving, and makers of breakers. */
import { DEFINITION_WORDS, HEADER, TOTAL } from '../../../src/memory/layout.ts'
import { isLive, packThread, threadOf } from '../../../src/memory/words/threads.ts'
import { encodeName } from '../../../src/options/breaker.ts'
import { Core } from '../../../src/protocol/breaker.ts'
import { shardOf } from '../../../src/protocol/cell.ts'
import { freeDefinitionsOf } from '../../../src/protocol/definitions.ts'
import { Directory } from '../../../src/protocol/directory.ts'
import { snapshotOf } from '../../../src/protocol/look.ts'
import { claimSlot, freeSlot, markDead, slotWord } from '../../../src/protocol/slots.ts'
import { moveInFlight, readTotals } from '../../../src/protocol/totals.ts'
import { reapMarked } from '../../../src/threads/deaths.ts'
import { emptyRegion, numbersOf, world } from '../build.ts'
import { machine } from '../machine.ts'
import { check, type Scenario } from '../scenario.ts'

export const claimAgainstClaim: Scenario = {
  name: 'slot-claims',
  about: 'two threads claim slots of a region that has one: one gets it, one shares slot 0',
  kills: 2,
  marks: ['one each', 'overflow'],
  alone: 30,
  set() {
    const region = emptyRegion(1)
    const { memory, shape } = region
    const claim = (thread: number) => () => claimSlot(memory, shape, { thread, parent: 0 })
    return {
      memory,
      threads: { a: claim(1), b: claim(2) },
      finally(results, mark) {
        const { a, b } = results as Record<string, number | undefined>
        check(!(a === 1 && b === 1), 'two threads have one slot')
        const word = slotWord(memory, shape, 1)
        if (a === 1) check(threadOf(word).thread === 1, "a's slot says another thread")
        if (b === 1) check(threadOf(word).thread === 2, "b's slot says another thread")
        if (isLive(word)) check(memory[HEADER.SLOTS_USED] === 1, 'a slot beyond SLOTS_USED')
        if (a !== undefined && b !== undefined) mark('one each')
        if (a === 0 || b === 0) mark('overflow')
      },
    }
  },
}

export const reapAgainstClaim: Scenario = {
  name: 'reap-reuse',
  about: 'two reapers of a dead thread, and a new thread that takes its slot as soon as it is free',
  kills: 1,
  mortal: ['reaper', 'second'],
  marks: ['reused', 'abandoned'],
  alone: 400,
  set() {
    const made = world({ slidingWindow: { type: 'consecutive', failures: 5 } }, 1, 1)
    const { region, memory, cell } = made
    const dead = new Core(cell, 1)
    dead.tryAcquire()
    dead.tryAcquire()
    const run = () => {
      markDead(memory, region.shape, 1)
      reapMarked(region, () => ({ cells: [cell], controls: [] }))
      return true
    }
    return {
      memory,
      threads: {
        reaper: run,
        second: run,
        heir: () => {
          const slot = claimSlot(memory, region.shape, { thread: 9, parent: 0 })
          if (slot === 0) return 0
          new Core(cell, slot).tryAcquire()
          return slot
        },
      },
      finally(results, mark) {
        const totals = readTotals(cell)
        const reaped = results.reaper === true || results.second === true
        if (reaped) {
          check(totals.abandoned === 2, `${totals.abandoned} abandoned of 2`)
          mark('abandoned')
        }
        if (results.heir === 1) {
          mark('reused')
          check(threadOf(slotWord(memory, region.shape, 1)).thread === 9, 'the heir lost its slot')
          check(totals.inFlight === 1, `${totals.inFlight} in flight, the heir has 1`)
        }
      },
    }
  },
}

export const lateOwner: Scenario = {
  name: 'late-leaver',
  about: 'a thread leaves while a reaper takes it for dead and a third claims: one owner at a time',
  kills: 1,
  marks: ['claimed'],
  alone: 200,
  set() {
    const made = world({ slidingWindow: { type: 'consecutive', failures: 5 } }, 1, 1)
    const { region, memory } = made
    const held = packThread(true, 1, { thread: 1, parent: 0 })
    const free = () => {
      freeSlot(memory, region.shape, 1, held)
      return true
    }
    return {
      memory,
      threads: {
        leaver: free,
        reaper: free,
        heir: () => claimSlot(memory, region.shape, { thread: 9, parent: 0 }),
      },
      finally(results, mark) {
        if (results.heir !== 1) return
        check(threadOf(slotWord(memory, region.shape, 1)).thread === 9, 'the heir lost its slot')
        mark('claimed')
      },
    }
  },
}

const NAME = encodeName('x')

function maker(thread: number, failures: number, region: ReturnType<typeof emptyRegion>) {
  return () => {
    const directory = new Directory(region, { thread, parent: 0 })
    const numbers = numbersOf(region, { slidingWindow: { type: 'consecutive', failures } })
    const { record, numbers: made } = directory.make({ name: 'x', bytes: NAME, numbers })
    return `${record}:${made.join()}`
  }
}

function makers(name: string, about: string, failures: readonly [number, number]): Scenario {
  return {
    name,
    about,
    kills: 1,
    marks: ['both', 'one died'],
    alone: 200,
    set() {
      const region = emptyRegion(2)
      const { memory, shape } = region
      return {
        memory,
        threads: { a: maker(1, failures[0], region), b: maker(2, failures[1], region) },
        finally(results, mark) {
          const { a, b } = results as Record<string, string | undefined>
          if (a !== undefined && b !== undefined) {
            check(a === b, `two makers made two breakers: ${a} and ${b}`)
            mark('both')
          } else mark('one died')
          const dead = machine.threads.filter(({ alive }) => !alive).map(({ index }) => index + 1)
          freeDefinitionsOf(memory, shape, new Set(dead))
          const directory = new Directory(region, { thread: 0, parent: 0 })
          const names = directory.present().map(entry => entry.name)
          check(names.filter(made => made === 'x').length <= 1, 'the name stands twice')
          check(heldDefinitions(region) === names.length, 'a definition is held for nothing')
        },
      }
    },
  }
}

function heldDefinitions({ memory, shape }: ReturnType<typeof emptyRegion>): number {
  let held = 0
  for (let definition = 0; definition < shape.breakers.definitionCount; definition++) {
    if (memory.longs[(shape.breakers.definitions + definition * DEFINITION_WORDS) / 2] !== 0n)
      held++
  }
  return held
}

export const sameMakers = makers(
  'make-same',
  'two makers of one name with the same options, one may die: one breaker, nothing leaked',
  [3, 3],
)

export const otherMakers = makers(
  'make-other',
  'two makers of one name with other options: one wins whole, the other finds its options',
  [3, 4],
)

export const leaveAgainstSum: Scenario = {
  name: 'leave-sum',
  about: 'a thread moves its calls in flight to the overflow shard while another adds up',
  kills: 0,
  marks: ['before', 'after'],
  alone: 200,
  set() {
    const made = world({ slidingWindow: { type: 'consecutive', failures: 5 } }, 1, 1)
    const { memory, cell } = made
    const core = new Core(cell, 1)
    for (let call = 0; call < 3; call++) core.tryAcquire()
    core.recordSuccess(0)
    return {
      memory,
      threads: {
        leaver: () => {
          moveInFlight(cell, 1)
          return true
        },
        reader: () => readTotals(cell),
      },
      finally(results, mark) {
        const own = memory.longs[shardOf(cell, 1) / 2 + TOTAL.ADMITTED]
        check(own === 1n, 'calls in flight were left behind')
        check(snapshotOf(core).totals.inFlight === 2, 'calls in flight were lost')
        const { admitted } = results.reader as { admitted: number }
        mark(admitted === 3 ? 'after' : 'before')
      },
    }
  },
}
