/**
 * What cores do to memory: for each design, the accesses of one operation after the other. Those of
 * busbar are written down while the package does the work, by one thread in as many slots as there
 * are cores; those of the bare designs follow from what they are.
 *
 * A trace has segments; in each the cores run at once, and between two of them the clock is moved.
 *
 * @typedef {object} Segment
 * @property {number[]} ticker     the accesses of whoever moves the clock, before the cores'
 * @property {number[][]} cores    each core's
 */
import { REFUSED } from 'busbar'
import { stateOfCore, takeSlots } from './inside.mjs'
import { record, updateOf } from './recorder.mjs'
import { shuffled } from './result.mjs'

/** So many words are as far apart as busbar keeps what different threads write: 128 bytes. */
const PADDED_WORDS = 32

/** So many that the breaker stays closed, and its stock large, while all recorded calls fail. */
const HEALTHY_CALLS = 100_000

const HOUR_MS = 3_600_000
const LONG_WINDOW = { type: 'time', durationMs: 10 * HOUR_MS, buckets: 10 }
const SECOND_BUCKETS = { type: 'time', durationMs: 10_000, buckets: 10 }

/** Nobody starts the keeper: the recorder moves the tick on itself. */
const TICKING = { keeper: true }

const succeed = core => core.recordSuccess(core.tryAcquire())
const fail = core => core.recordFailure(core.tryAcquire())

function refuse(core) {
  if (core.tryAcquire() !== REFUSED) throw new Error('an open breaker gave a permit')
}

function openFully(core) {
  for (;;) {
    const permit = core.tryAcquire()
    if (permit === REFUSED) return
    core.recordFailure(permit)
  }
}

function succeedOften(core) {
  for (let call = 0; call < HEALTHY_CALLS; call++) succeed(core)
}

/** What a keeper does at each of its ticks: moves the word on, and looks whether it is used. */
function keeperTicks({ atomics, layout }, { memory }, number) {
  const { TICK, ACTIVE } = layout.HEADER
  atomics.compareExchange(memory, TICK, number - 1, number)
  atomics.load(memory, ACTIVE)
  atomics.store(memory, ACTIVE, 0)
}

const advanceBy =
  ms =>
  (_parts, { clock }) =>
    clock.advance(ms)

/** What a core writes in a design that is nothing but counters: the word of its own counter. */
export const COUNTERS = [
  { label: 'one shared counter', role: 'sketch', wordOf: () => 0 },
  { label: 'a counter for each thread, side by side', role: 'sketch', wordOf: core => core },
  {
    label: 'a counter for each thread, 128 bytes apart',
    role: 'floor',
    wordOf: core => core * PADDED_WORDS,
  },
]

/** Of busbar: the operation that is recorded, and the state in which it must leave the breaker. */
export const OPERATIONS = [
  {
    label: 'refusal',
    window: LONG_WINDOW,
    prepare: openFully,
    operation: refuse,
    state: 'open',
  },
  {
    label: 'permit + success, time window',
    window: LONG_WINDOW,
    prepare: succeedOften,
    operation: succeed,
  },
  {
    label: 'permit + success, time window, newly closed',
    window: LONG_WINDOW,
    operation: succeed,
    isTransient: true,
  },
  {
    label: 'permit + success, count window',
    window: { type: 'count', size: 100 },
    operation: succeed,
  },
  {
    label: 'permit + success, consecutive window',
    window: { type: 'consecutive', failures: 5 },
    operation: succeed,
  },
  {
    label: 'permit + failure, time window',
    window: LONG_WINDOW,
    prepare: succeedOften,
    operation: fail,
  },
].map(design => ({ role: 'busbar', ...design }))

/** What time brings. The tick is one of a region with a keeper; the others have a manual clock. */
export const EVENTS = [
  {
    label: 'a tick of the keeper (200 a second)',
    window: LONG_WINDOW,
    prepare: openFully,
    operation: refuse,
    state: 'open',
    time: TICKING,
    event: keeperTicks,
  },
  {
    label: 'a periodic sum (10 a second)',
    window: LONG_WINDOW,
    operation: succeed,
    event: advanceBy(100),
  },
  {
    label: 'a new bucket (1 a second)',
    window: SECOND_BUCKETS,
    operation: succeed,
    event: advanceBy(1000),
  },
]

/** @returns {Segment[]} */
export function traceCounters({ wordOf }, cores, { segments, perCore }) {
  const operations = core => Array.from({ length: perCore }, () => updateOf(wordOf(core)))
  return Array.from({ length: segments }, () => ({
    ticker: [],
    cores: Array.from({ length: cores }, (_, core) => operations(core)),
  }))
}

/**
 * The operations are made one after the other, in an order that is random: nothing overlaps, so no
 * exchange is lost to another thread.
 *
 * @returns {Segment[]}
 */
export function traceOperations(parts, design, cores, { segments, perCore, random }) {
  const { operation, event } = design
  const { region, seats, check } = prepared(parts, design, cores)
  const turns = Array.from({ length: cores * perCore }, (_, turn) => turn % cores)
  const trace = Array.from({ length: segments }, (_, number) => {
    const segment = { ticker: [], cores: seats.map(() => []) }
    record(segment.ticker, () => event?.(parts, region, number + 1))
    for (const core of shuffled(turns, random)) {
      record(segment.cores[core], () => operation(seats[core]))
    }
    return segment
  })
  check()
  return trace
}

/** The accesses of operation after operation, with a keeper that ticks. */
export function traceOneByOne(parts, design, operations) {
  const { region, seats, check } = prepared(parts, { ...design, time: TICKING }, 1)
  keeperTicks(parts, region, 1)
  const lists = Array.from({ length: operations }, () => {
    const list = []
    record(list, () => design.operation(seats[0]))
    return list
  })
  check()
  return lists
}

function prepared(parts, design, slots) {
  const { label, window, prepare, state = 'closed', time } = design
  const options = { slidingWindow: window, waitDurationInOpenStateMs: 1000 * HOUR_MS }
  const { region, breakers } = takeSlots(parts, { slots, options, time })
  const [seats] = breakers
  prepare?.(seats[0])
  const check = () => {
    const found = stateOfCore(parts, seats[0])
    if (found !== state) throw new Error(`${label}: the breaker is ${found}, not ${state}`)
  }
  return { region, seats, check }
}
