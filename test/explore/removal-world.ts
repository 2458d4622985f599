/** Small regions for scenarios in which breakers go and others get their records. */
import { load64 } from '#atomics'
import { RegistryFullError } from '../../src/errors.ts'
import type { Memory } from '../../src/memory/atomics.ts'
import { DEFINITION, DEFINITION_WORDS, HEADER } from '../../src/memory/layout.ts'
import type { Region } from '../../src/memory/region.ts'
import { REMOVED } from '../../src/memory/words/state.ts'
import { unpackMaking } from '../../src/memory/words/threads.ts'
import { encodeName } from '../../src/options/breaker.ts'
import type { SharedOptions } from '../../src/options/types.ts'
import { Core } from '../../src/protocol/breaker.ts'
import type { Cell } from '../../src/protocol/cell.ts'
import { carryOutCommand, plainCommand } from '../../src/protocol/command.ts'
import { freeDefinitionsOf } from '../../src/protocol/definitions.ts'
import { cellOf, Directory, type Entry } from '../../src/protocol/directory.ts'
import { type Follower, type Home, raiseEdition } from '../../src/protocol/follower.ts'
import { IdleBreakers } from '../../src/protocol/idle.ts'
import type { Wanted } from '../../src/protocol/making.ts'
import { begin } from '../../src/protocol/removal.ts'
import { claimSlot, OVERFLOW_SLOT } from '../../src/protocol/slots.ts'
import { readTotals, type Totals } from '../../src/protocol/totals.ts'
import type { ManualClock } from '../../src/time/manual.ts'
import { emptyRegion, numbersOf } from './build.ts'
import { machine } from './machine.ts'
import { check } from './scenario.ts'
import { Violation } from './violation.ts'

/** Opens at the second failure. */
export const ROW: SharedOptions = { slidingWindow: { type: 'consecutive', failures: 2 } }

export interface Records {
  readonly region: Region
  readonly memory: Memory
  readonly clock: ManualClock
}

/** A region with room for so many breakers, whose threads 1..`slots` have their slots. */
export function records(slots = 2, maxBreakers = 2): Records {
  const region = emptyRegion(slots, maxBreakers)
  for (let thread = 1; thread <= slots; thread++) {
    claimSlot(region.memory, region.shape, { thread, parent: 0 })
  }
  return { region, memory: region.memory, clock: region.clock as ManualClock }
}

/** Threads that have no slot count in the shared one. */
export function useShared({ memory }: Records): void {
  memory[HEADER.OVERFLOW_USED] = 1
}

/** A thread's breakers: found and made as src/breakers.ts does it. */
export class Holder implements Home {
  readonly directory: Directory
  readonly slot: number
  readonly #region: Region
  readonly #thread: number

  constructor({ region }: Records, thread: number, slot = thread) {
    this.#region = region
    this.#thread = thread
    this.slot = slot
    this.directory = new Directory(region, { thread, parent: 0 })
  }

  wanted(name: string, options = ROW): Wanted {
    return { name, bytes: encodeName(name), numbers: numbersOf(this.#region, options) }
  }

  make(name: string, options?: SharedOptions): Core {
    return this.hold(this.directory.make(this.wanted(name, options)))
  }

  /** Makes it where there is room. */
  hasRoomFor(name: string): boolean {
    try {
      this.directory.make(this.wanted(name))
      return true
    } catch (error) {
      if (error instanceof RegistryFullError) return false
      throw error
    }
  }

  hold(entry: Entry): Core {
    return new Core(this.cellOf(entry), this.slot, this)
  }

  cellOf(entry: Entry): Cell {
    return cellOf(this.#region, entry, { thread: this.#thread, parent: 0 })
  }

  look(cell: Cell): Cell | undefined {
    const entry = this.directory.at(cell.breaker)
    if (entry?.first !== cell.first || !this.directory.isPresent(entry)) return undefined
    return entry.word === cell.entry ? cell : this.cellOf(entry)
  }

  again({ cell: { name, made, maxKeys, prefixLength } }: Follower): Cell {
    const group = { maxKeys, prefixLength }
    const wanted = { name, bytes: encodeName(name), numbers: made, group }
    const cell = this.cellOf(this.directory.make(wanted))
    begin(cell)
    return cell
  }

  warn(error: unknown): void {
    if (!(error instanceof RegistryFullError)) throw error
  }

  slotOf(): number {
    return this.slot
  }

  /** Gives the breaker other options, as src/breakers.ts does it. */
  configure(core: Core, options: SharedOptions): boolean {
    for (let attempt = 0; attempt < 8; attempt++) {
      const { name, breaker, entry: word } = core.current()
      const entry = this.directory.at(breaker)
      if (entry?.word !== word) {
        // Who replaced it may have died before it said so.
        raiseEdition(core.cell)
        continue
      }
      if (!this.directory.replace(entry, encodeName(name), numbersOf(this.#region, options)))
        continue
      raiseEdition(core.cell)
      core.current()
      return true
    }
    return false
  }
}

/** Of a thread of no scenario: it looks at what there is, and counts in the shared slot. */
export function onlooker(of: Records): Holder {
  return new Holder(of, 99, OVERFLOW_SLOT)
}

/** Removes the breaker whatever it does. */
export function remove(core: Core): void {
  carryOutCommand(core, plainCommand(REMOVED))
}

/** Removes a breaker that is closed and has nothing in flight, as a group makes room. */
export function evict({ directory }: Holder): boolean {
  return new IdleBreakers(directory, () => true, 0).removeOne()
}

/** What a breaker of that name has counted; undefined where there is none. */
export function totalsOf(of: Records, name: string): Totals | undefined {
  const holder = onlooker(of)
  const entry = holder.directory.find(name)
  return entry && readTotals(holder.cellOf(entry))
}

export function isBeingMade({ region, memory }: Records): boolean {
  return unpackMaking(load64(memory, region.shape.breakers.makingLong)).definition >= 0
}

/** Afterwards: what is being made is finished, and no definition is held for nothing. */
export function checkDirectory(of: Records): Entry[] {
  const { region, memory } = of
  const { directory } = onlooker(of)
  directory.find('')
  const entries = directory.entriesAfter(0)
  const names = directory.present().map(({ name }) => name)
  check(new Set(names).size === names.length, `a name stands twice: ${names}`)
  // A publisher that dies leaves the old definition to the death of the thread that made that.
  if (machine.threads.some(({ alive }) => !alive)) {
    const threads = machine.threads.map(({ index }) => index + 1)
    freeDefinitionsOf(memory, region.shape, new Set([...threads, MAKER]))
  }
  const held = heldDefinitions(of)
  check(held === entries.length, `${held} definitions are held for ${entries.length} entries`)
  return entries
}

/** The thread that makes what there is at first. */
const MAKER = 90

export function maker(of: Records): Holder {
  return new Holder(of, MAKER, OVERFLOW_SLOT)
}

/** How many definitions somebody holds. */
function heldDefinitions({ region, memory }: Records): number {
  const { definitions, definitionCount } = region.shape.breakers
  let held = 0
  for (let definition = 0; definition < definitionCount; definition++) {
    const start = definitions + definition * DEFINITION_WORDS
    if (memory.longs[start / 2 + DEFINITION.HOLDER_LONG] !== 0n) held++
  }
  return held
}

/** What it has counted is what its only caller has done: so many good calls, and no other. */
export function checkCounts(of: Records, name: string, calls: number, within = 0): void {
  const totals = totalsOf(of, name)
  if (totals === undefined) throw new Violation(`${name} is not there`)
  const { admitted, succeeded, failed, late, refused, inFlight } = totals
  const said = `${admitted} admitted, ${succeeded} good, ${failed} bad, ${late} late`
  const isRight = (count: number): boolean => Math.abs(count - calls) <= within
  check(isRight(admitted) && isRight(succeeded), `${name}: ${said} of ${calls} calls`)
  check(failed + late + refused === 0 && inFlight <= within, `${name} has another's: ${said}`)
}

/** Asks and succeeds; whether the call was admitted, and its outcome counted. */
export function call(core: Core): { permit: number; counted: boolean } {
  const permit = core.tryAcquire()
  return { permit, counted: permit >= 0 && core.recordSuccess(permit) }
}

/** Makes the breaker; where. */
export function makes(of: Records, thread: number, name: string): () => string {
  return () => {
    const holder = new Holder(of, thread)
    if (!holder.hasRoomFor(name)) return 'no room'
    const { number, first } = holder.directory.make(holder.wanted(name))
    return `${number} from ${first}`
  }
}

/** At every step: nothing that sound code wrote was taken for damage. */
export function checkSound({ memory }: Records): void {
  check(memory[HEADER.DAMAGED] === 0, 'sound memory was taken for damaged')
}
