/** What holds for many words, in sentences. */
import { FIRST_NATIVE_THREAD, NO_PARENT } from '../words/threads.ts'
import { TIME_BITS } from '../words/timed.ts'
import type { WordClass } from './types.ts'

interface ClassRule {
  readonly writers: string
  readonly access: string
}

export const CLASSES: Readonly<Record<WordClass, ClassRule>> = {
  fixed: {
    writers: 'its maker, before publication',
    access: 'plain reads',
  },
  reused: {
    writers: 'who has taken the definition, while no entry names it',
    access: 'atomic store; atomic load, between two looks at the entry: the same word both times',
  },
  own: {
    writers: "the slot's owner",
    access: 'owner: plain read, atomic store and add; others: atomic load',
  },
  stat: {
    writers: "the slot's owner; no decision reads it",
    access:
      'owner: plain increment of the low half, atomic 64-bit add where that would wrap; others: ' +
      'atomic load. In shard 0: atomic add by anyone',
  },
  shared: {
    writers: 'any thread',
    access: 'atomic load, CAS, add, store; plain reads as hints (docs/memory.md)',
  },
  unused: {
    writers: 'nobody',
    access: 'none: it is 0',
  },
}

export const RULES: Readonly<Record<string, string>> = {
  'byte order': "The machine's: a region lives in one process.",
  atomicity: 'Atomic operations are sequentially consistent, on aligned words of 32 or 64 bits.',
  length:
    'A region is as long as its parts say, exactly. In the memory of a WebAssembly kernel the ' +
    'areas of its threads follow, which are no part of it; in any other buffer nothing does.',
  zero: 'Zero is a legal record: closed, generation 0, nothing counted.',
  parity:
    'Of two words the one at `generation & 1` belongs to that generation, if its tag says so. ' +
    'They are filled before STATE makes the generation current.',
  time:
    `Times are whole microseconds of the region's clock, from 0 when it was made. ` +
    `2^${TIME_BITS} - 1 means for ever. Only names that end in MS are milliseconds.`,
  threads:
    "Node numbers its threads from 0; a thread's number is its `threadId`, its parent's number " +
    'that of the thread that started it. A death is known to the parent alone, and takes those ' +
    'along that the dead thread had started. Threads that Node did not start number themselves ' +
    `from 2^${Math.log2(FIRST_NATIVE_THREAD)} = ${FIRST_NATIVE_THREAD.toLocaleString('en')} on, ` +
    `for people to see, and have the parent NO_PARENT = ${NO_PARENT.toLocaleString('en')}, so ` +
    'that the death of no Node thread takes them along. The parent DEAD_PARENT marks the slot of ' +
    'a dead thread.',
  buckets:
    'Bucket number b = time / (durationMs / buckets), rounded down; it stands at b mod buckets. ' +
    'A bucket of another number or generation reads as empty. Controls have one generation, 0; ' +
    'durationMs is windowMs of a throttle, 10 s of a retry budget, two intervals of a host.',
  hash:
    'The tag of an overflow counter is a hash of its EPOCH: hashOfEpoch in ' +
    'src/memory/words/windows.ts, two steps of MurmurHash3.',
  permits:
    'A permit is the generation in which the call was admitted, from 0 on; that of a trial is ' +
    'packed, from FIRST_TRIAL_PERMIT on. Of a breaker that tells calls by age the others are ' +
    'packed as well (AGED_PERMIT), below FIRST_TRIAL_PERMIT.',
}
