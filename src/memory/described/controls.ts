/** Records of controls: throttles, bulkheads, retry budgets, host groups and their hosts. */
import { CONTROL, MAX_EJECTED, WAITER, WAITER_WORDS } from '../controls.ts'
import { LINE_WORDS } from '../layout.ts'
import { CONTROL_OPTIONS_STRUCTS } from './control-options.ts'
import type { Struct, StructName, Word } from './types.ts'
import { ANYONE, FIRST } from './writers.ts'

const WORD = 4
const LONG = 8
const OWN_WORDS = 2 * LINE_WORDS

const STATE: Word = {
  name: 'STATE',
  offset: CONTROL.STATE * WORD,
  type: 'i32',
  class: 'unused',
  writers: 'nobody',
  legal: '0',
  meaning: 'Reserved.',
  since: FIRST,
}

/** When the duty of comparing or adding up is due. */
function duty(meaning: string): Word {
  return {
    name: 'DUTY',
    offset: CONTROL.DUTY_LONG * LONG,
    type: 'i64',
    packing: 'TIMED',
    ...ANYONE,
    legal: 'at most an interval ahead',
    wraps: 'fence after 2^13 rounds',
    meaning,
  }
}

/** A kind's own two lines: STATE and what else it has. */
function own(name: StructName, title: string, about: string, words: readonly Word[]): Struct {
  return {
    name,
    title,
    about,
    size: OWN_WORDS * WORD,
    alignment: 8,
    ownLine: true,
    inHeader: true,
    words: [STATE, ...words],
  }
}

const THROTTLE = own(
  'throttle',
  "A throttle's own lines",
  'PROBABILITY is what every call reads; DUTY has a line of its own.',
  [
    {
      name: 'PROBABILITY',
      offset: CONTROL.PROBABILITY * WORD,
      type: 'i32',
      packing: 'PROBABILITY',
      ...ANYONE,
      writers: 'who took the duty',
      legal: 'bit 31 is 0; probability at most maxRejectionProbability',
      wraps: 'round after 2^7 rounds',
      meaning: 'With what probability calls are refused, and which round found so.',
    },
    duty('tag = fence, by 1 a round; when the probability is to be computed again.'),
  ],
)

const BULKHEAD = own(
  'bulkhead',
  "A bulkhead's own lines",
  'What its calls share besides the places.',
  [
    {
      name: 'WAITING',
      offset: CONTROL.WAITING * WORD,
      type: 'i32',
      packing: 'WAITING',
      ...ANYONE,
      legal: 'any',
      wraps: 'version at 2^31',
      meaning: 'Whether any call may wait in the queue.',
    },
    {
      name: 'RELEASES',
      offset: CONTROL.RELEASES * WORD,
      type: 'i32',
      ...ANYONE,
      legal: 'any',
      wraps: 'at 2^32',
      meaning: 'How many places were freed while calls waited. Who waits sleeps on this word.',
    },
  ],
)

const RETRY_BUDGET = own(
  'retry_budget',
  "A retry budget's own lines",
  'All that it has stands in its shards.',
  [],
)

const HOST_GROUP = own('host_group', "A host group's own lines", 'DUTY has a line of its own.', [
  {
    name: 'EJECTIONS',
    offset: CONTROL.EJECTIONS * WORD,
    type: 'i32',
    ...ANYONE,
    legal: 'any',
    wraps: 'at 2^32',
    meaning: 'Goes up with each ejection and each interval: what threads remember may be old.',
  },
  duty('tag = fence, by 1 a round; its time counts intervals, a millisecond for each.'),
])

const HOST = own('host', "A host's own lines", 'What all threads know of one host.', [
  {
    name: 'ROW',
    offset: CONTROL.ROW * WORD,
    type: 'i32',
    packing: 'ROW',
    ...ANYONE,
    legal: 'the row stays at MAX_ROW',
    meaning: 'Failures in a row since that ejection.',
  },
  {
    name: 'EJECTION',
    offset: CONTROL.EJECTION_LONG * LONG,
    type: 'i64',
    packing: 'EJECTION',
    ...ANYONE,
    legal: 'at most maxEjectionMs and its jitter ahead',
    wraps: 'episode at 2^14',
    meaning: 'Until when the host is ejected, and how often that was in a row.',
  },
])

const PLACE: Struct = {
  name: 'control_place',
  title: "A control's places",
  about:
    'One word each: of a bulkhead OWNER, as many as calls may be in flight; of a host group ' +
    `EJECTED, ${MAX_EJECTED.toLocaleString('en')} of them.`,
  size: WORD,
  alignment: 4,
  ownLine: false,
  inHeader: false,
  words: [
    {
      name: 'OWNER',
      offset: 0,
      type: 'i32',
      ...ANYONE,
      legal: '0 free, else 1 .. 2^26',
      meaning: 'The number of the thread whose call is in flight, + 1.',
    },
    {
      name: 'EJECTED',
      offset: 0,
      type: 'i32',
      packing: 'EJECTED',
      ...ANYONE,
      legal: '0 free, else a host of the group',
      wraps: 'episode at 2^14',
      meaning: 'Which host is ejected, or about to be, and in which episode.',
    },
  ],
}

const WAITER_STRUCT: Struct = {
  name: 'waiter',
  title: "A place in a bulkhead's queue",
  about: 'As many as calls may wait.',
  size: WAITER_WORDS * WORD,
  alignment: 4,
  ownLine: false,
  inHeader: true,
  words: [
    {
      name: 'OWNER',
      offset: WAITER.OWNER * WORD,
      type: 'i32',
      ...ANYONE,
      legal: '0 free, else 1 .. 2^26',
      meaning: 'The number of the thread whose call waits, + 1.',
    },
    {
      name: 'ARRIVED',
      offset: WAITER.ARRIVED * WORD,
      type: 'i32',
      ...ANYONE,
      writers: 'the owner of the place',
      legal: '0 .. 2^31 - 1',
      wraps: 'at 2^31',
      meaning: 'When it came: whole ms + 1, mod 2^31. 0: not written yet.',
    },
  ],
}

export const CONTROL_STRUCTS: readonly Struct[] = [
  ...CONTROL_OPTIONS_STRUCTS,
  THROTTLE,
  BULKHEAD,
  RETRY_BUDGET,
  HOST_GROUP,
  HOST,
  PLACE,
  WAITER_STRUCT,
]
