/**
 * How many cache lines move between cores for one operation, on more cores than there are here?
 *
 * The accesses of shared memory are those of the package, written down while it works. They are
 * played back for 2 to 128 cores, in a random order, through a model of the cores' caches.
 */
import { openWithDoor } from '../lib/inside.mjs'
import { Caches, checkCaches } from '../lib/mesi.mjs'
import { isAtomic, recordingDoor, wordOf, writes } from '../lib/recorder.mjs'
import { median, row } from '../lib/result.mjs'
import {
  COUNTERS,
  EVENTS,
  OPERATIONS,
  traceCounters,
  traceOneByOne,
  traceOperations,
} from '../lib/traces.mjs'

export const title = 'How many cache lines move for one operation, on up to 128 cores?'

const CORES = [2, 4, 8, 16, 32, 64, 128]
const LINE_WORDS = 16

/**
 * Words between the start of a line and the start of the region. V8 takes a large buffer from
 * malloc, which puts it 16 bytes behind a page's start; other allocators may do otherwise.
 */
const MISALIGNMENTS = [4, 0, 8, 12]

/** By all cores together, in segments, of which the first ones warm the caches up. */
const OPERATIONS_PLAYED = 65_536
const SEGMENTS = 4
const WARM_UP_SEGMENTS = 2
const EVENTS_PLAYED = 6
const ACCESSES_COUNTED = 1_001
const OPERATIONS_AN_EVENT = 4

/** Plays a trace; each next access is that of a core drawn at random. */
function play(segment, caches, { misaligned, random, ignored }) {
  const step = (core, access) => {
    const word = wordOf(access)
    if (ignored.has(word)) return
    const line = Math.floor((word + misaligned) / LINE_WORDS)
    if (writes(access)) caches.write(core, line)
    else caches.read(core, line)
  }
  const { cores, ticker } = segment
  for (const access of ticker) step(cores.length, access)
  const next = cores.map(() => 0)
  const running = cores.map((_, core) => core)
  while (running.length > 0) {
    const drawn = Math.floor(random() * running.length)
    const core = running[drawn]
    step(core, cores[core][next[core]++])
    if (next[core] < cores[core].length) continue
    running[drawn] = running[running.length - 1]
    running.pop()
  }
}

/** Transfers in all segments but the first `warmUp`, once for each misalignment. */
function transfersOf(trace, warmUp, misalignments, random, ignored = new Set()) {
  return misalignments.map(misaligned => {
    const caches = new Caches(trace[0].cores.length + 1)
    trace.forEach((segment, index) => {
      if (index === warmUp) caches.resetCounts()
      play(segment, caches, { misaligned, random, ignored })
    })
    return caches.transfers
  })
}

function scaled(transfers, by) {
  return transfers.map(count => count / by)
}

function operationRows(parts, { quick, say, random }) {
  const operations = quick ? OPERATIONS_PLAYED / 8 : OPERATIONS_PLAYED
  const misalignments = quick ? MISALIGNMENTS.slice(0, 2) : MISALIGNMENTS
  const rows = []
  for (const cores of CORES) {
    say(`operations on ${cores} cores`)
    const size = { segments: SEGMENTS, perCore: operations / SEGMENTS / cores, random }
    const add = ({ label, role, isTransient }, trace) => {
      const warmUp = isTransient ? 0 : WARM_UP_SEGMENTS
      const played = trace.slice(0, warmUp + SEGMENTS - WARM_UP_SEGMENTS)
      const transfers = transfersOf(played, warmUp, misalignments, random)
      const counted = (operations * (SEGMENTS - WARM_UP_SEGMENTS)) / SEGMENTS
      rows.push(row(label, scaled(transfers, counted), { x: cores, role }))
    }
    for (const design of COUNTERS) add(design, traceCounters(design, cores, size))
    for (const design of OPERATIONS) add(design, traceOperations(parts, design, cores, size))
  }
  return rows
}

const KINDS = {
  'atomic reads': access => isAtomic(access) && !writes(access),
  'atomic writes': access => isAtomic(access) && writes(access),
  'plain reads and writes': access => !isAtomic(access),
}

function accessRows(parts) {
  return OPERATIONS.filter(({ isTransient }) => !isTransient).flatMap(design => {
    const lists = traceOneByOne(parts, design, 2 * ACCESSES_COUNTED).slice(ACCESSES_COUNTED)
    return Object.entries(KINDS).map(([kind, isOfKind]) => {
      const usual = median(lists.map(list => list.filter(isOfKind).length))
      return row(`${design.label}: ${kind}`, [usual], { role: 'busbar' })
    })
  })
}

/** For each core: what one tick of the clock sets moving, and the calls that find it moved. */
function eventRows(parts, { quick, say, random }) {
  const events = quick ? EVENTS_PLAYED / 3 : EVENTS_PLAYED
  const misalignments = quick ? MISALIGNMENTS.slice(0, 1) : MISALIGNMENTS
  const size = { segments: events + WARM_UP_SEGMENTS, perCore: OPERATIONS_AN_EVENT, random }
  return CORES.flatMap(cores => {
    say(`what time brings, on ${cores} cores`)
    return EVENTS.map(event => {
      const trace = traceOperations(parts, event, cores, size)
      // A manual clock is a word that all look at: what a tick costs is a figure of its own.
      const isTick = event.time !== undefined
      const ignored = new Set(isTick ? [] : trace.flatMap(({ ticker }) => ticker.map(wordOf)))
      const transfers = transfersOf(trace, WARM_UP_SEGMENTS, misalignments, random, ignored)
      return row(event.label, scaled(transfers, events * cores), { x: cores, role: 'busbar' })
    })
  })
}

function highest(rows, label) {
  return Math.max(...rows.filter(found => found.label === label).map(({ high }) => high))
}

function notesOn(rows, events) {
  const most = OPERATIONS.map(({ label }) => `${label} ${highest(rows, label).toFixed(3)}`)
  const [tick, sum, bucket] = EVENTS.map(({ label }) => highest(events, label).toFixed(0))
  return [
    'A model, not a machine: infinite caches (MESI, 64-byte lines); every move of a line, and every ' +
      'taking of a line that others hold, counts one, whatever the distance and however many hold ' +
      'it. No time, no store buffers, no fetching of lines in pairs, no sockets. The first touch of ' +
      'a line by a core is not counted, and the caches are warm before counting starts.',
    'The accesses are those of the package, written down while one thread did the work of all ' +
      'cores, one operation after the other: no exchange is lost and no step is repeated. They are ' +
      'interleaved only when they are played back. In the first chart time stands still.',
    `Each figure was taken with the region ${MISALIGNMENTS.map(words => words * 4).join(', ')} ` +
      'bytes behind the start of a line (a large buffer begins 16 bytes behind that of a page); low ' +
      'and high are the least and the most of these.',
    `The most transfers for one operation, at any number of cores: ${most.join('; ')}.`,
    'Newly closed: the first calls of a generation, cold caches left out. Until a thread has made a ' +
      'sum that found the minimum of calls, its successes count the stock down, which is one word ' +
      'for all. The next bucket ends that at the latest.',
    'A failure in a time window takes one out of the stock: one transfer. Every 4,095th of them, ' +
      "here, sums: it reads each core's counters, and each core takes its line back.",
    `A tick, a periodic sum and a new bucket cost a core at most ${tick}, ${sum} and ${bucket} ` +
      'transfers, however many calls it makes. In a new bucket each core sums over the shards of ' +
      'all, so that figure grows with the cores; it comes once a second.',
  ]
}

export async function ask({ quick, say, random }) {
  checkCaches()
  const parts = await openWithDoor(recordingDoor)
  const rows = operationRows(parts, { quick, say, random })
  const events = eventRows(parts, { quick, say, random })
  return {
    panels: [
      {
        title: 'Line transfers for one operation',
        unit: 'transfers',
        better: 'lower',
        x: 'cores',
        scale: 'linear',
        rows,
      },
      {
        title: 'Line transfers that time brings, for each core and event',
        unit: 'transfers',
        better: 'lower',
        x: 'cores',
        rows: events,
      },
      {
        title: 'Accesses of shared memory in one operation',
        unit: 'accesses',
        better: 'lower',
        scale: 'linear',
        rows: accessRows(parts),
      },
    ],
    notes: notesOn(rows, events),
  }
}
