/**
 * Writes down each access of shared memory that the package makes, and what kind it was. Stands
 * behind `#atomics` in a copy of the package (inside.mjs).
 *
 * An access is one number: the word's index, then a bit for "atomic", then one for "writes". A
 * read-modify-write writes, whether its exchange was made or not: the line is taken either way.
 */
const ATOMIC = 2
const WRITES = 1
const KIND_BITS = 2

/** What each verb does to its word, in turn, and how many words wide that is. */
const VERBS = {
  load: { width: 1, kinds: [ATOMIC] },
  store: { width: 1, kinds: [ATOMIC | WRITES] },
  add: { width: 1, kinds: [ATOMIC | WRITES] },
  compareExchange: { width: 1, kinds: [ATOMIC | WRITES] },
  loadDouble: { width: 2, kinds: [ATOMIC] },
  load64: { width: 2, kinds: [ATOMIC] },
  add64: { width: 2, kinds: [ATOMIC | WRITES] },
  compareExchange64: { width: 2, kinds: [ATOMIC | WRITES] },
  readFixed: { width: 1, kinds: [0] },
  readFixedDouble: { width: 2, kinds: [0] },
  writeFixed: { width: 1, kinds: [WRITES] },
  writeFixedDouble: { width: 2, kinds: [WRITES] },
  readReused: { width: 1, kinds: [ATOMIC] },
  readReusedDouble: { width: 2, kinds: [ATOMIC] },
  writeReused: { width: 1, kinds: [ATOMIC | WRITES] },
  writeReusedDouble: { width: 2, kinds: [ATOMIC | WRITES] },
  readOwn: { width: 1, kinds: [0] },
  peek: { width: 1, kinds: [0] },
  count: { width: 1, kinds: [0, WRITES] },
  countBy: { width: 1, kinds: [0, WRITES] },
}

/** Not an access of a word: nothing is written down. */
const NO_VERBS = ['viewsOf', 'ownDouble', 'counterWord', 'notify', 'whenNotified']

/** @type {number[] | undefined} */
let list

/** Runs `work` with its accesses added to `into`. */
export function record(into, work) {
  list = into
  try {
    return work()
  } finally {
    list = undefined
  }
}

/** For the door: `access`, written down while a recording runs. */
export function recorded(name, access) {
  if (NO_VERBS.includes(name)) return access
  const verb = VERBS[name]
  return (memory, index, ...values) => {
    if (list !== undefined) {
      if (verb === undefined) throw new Error(`the recorder does not know the verb ${name}`)
      for (const kind of verb.kinds) list.push(((index * verb.width) << KIND_BITS) | kind)
    }
    return access(memory, index, ...values)
  }
}

export const wordOf = access => access >>> KIND_BITS
export const writes = access => (access & WRITES) !== 0
export const isAtomic = access => (access & ATOMIC) !== 0

/** An access that no package made: for designs that are written down by hand. */
export const updateOf = word => (word << KIND_BITS) | ATOMIC | WRITES

/** The text of a door that does as the real one and writes down. */
export function recordingDoor(verbs) {
  return [
    "import * as real from './dist/memory/atomics.js'",
    `import { recorded } from ${JSON.stringify(import.meta.url)}`,
    ...verbs.map(verb => `export const ${verb} = recorded('${verb}', real.${verb})`),
  ].join('\n')
}
