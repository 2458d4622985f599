/** A region in which breakers were removed, made again in their records and given other options. */
import type { BreakerOptions, CircuitBreaker } from '../../src/index.ts'
import { DEFINITION_WORDS } from '../../src/memory/layout.ts'
import { Directory, type Entry } from '../../src/protocol/directory.ts'
import { close, halfOpen, type Made, ROW_OPTIONS, use } from './support.ts'

const NOBODY = { thread: 0, parent: 0 }

/** The entries of that name, the present one last. */
function entriesOf(made: Made, name: string): Entry[] {
  const directory = new Directory(made.region, NOBODY)
  const entries = directory.entriesAfter(0).filter(entry => entry.name === name)
  return entries.toSorted((a, b) => Number(directory.isPresent(a)) - Number(directory.isPresent(b)))
}

export function entryOf(made: Made, name: string): Entry {
  const entry = entriesOf(made, name).at(-1)
  if (entry === undefined) throw new Error(`no entry for ${name}`)
  return entry
}

/** Where the definition of that breaker starts, in words. */
export function definitionOf(made: Made, name: string): number {
  const { definition } = entryOf(made, name)
  return made.region.shape.breakers.definitions + definition * DEFINITION_WORDS
}

/** Another breaker of the same window, in the record of one that is removed. */
export function makeAgain(made: Made, name: string, options: BreakerOptions = {}): CircuitBreaker {
  return made.registry.breaker(name, { ...ROW_OPTIONS, ...options })
}

const GROUP = 'host'

/** Asks for so many keys of a group of at most two. */
export function askKeys(made: Made, keys: number): void {
  const group = made.registry.keyed(GROUP, { ...ROW_OPTIONS, max: 2 })
  for (let key = 0; key < keys; key++) {
    const breaker = group.breaker(`${key}`)
    breaker.recordSuccess(breaker.tryAcquire(), 1)
    made.registry.advance(10)
  }
}

/**
 * "row" has opened, closed and been removed; "again", which opened and closed as well, has its
 * record. "count" has other options. Of the group there were three, one of them after another.
 */
export function makeRemoved(made: Made): void {
  use(made)
  close(made.row, halfOpen(made, made.row))
  made.registry.remove('row')
  const again = makeAgain(made, 'again')
  close(again, halfOpen(made, again))
  made.count.configure({ minimumNumberOfCalls: 9, permittedNumberOfCallsInHalfOpenState: 4 })
  made.count.configure({ permittedNumberOfCallsInHalfOpenState: 1 })
  use(made)
  askKeys(made, 3)
}
