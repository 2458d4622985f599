/**
 * The same work through busbar, cockatiel and opossum, on one thread, which is all that those two
 * know of; then busbar's core calls beside a breaker of its kind in Rust.
 */
import { setImmediate } from 'node:timers/promises'
import { inCrew, timesOf } from '../lib/core-calls.mjs'
import { Crews } from '../lib/crews.mjs'
import { ASKING_FLOOR, busbar as coreCalls, FLOORS, SETTLING_FLOOR } from '../lib/designs.mjs'
import { busbar, cockatiel, floors, opossum, TIMEOUT_MS } from '../lib/peers.mjs'
import { compileSeed, hasJava } from '../lib/programs.mjs'
import { registryWith } from '../lib/registry.mjs'
import { row, shuffled } from '../lib/result.mjs'
import { CORES } from '../lib/threads.mjs'

export const title = 'What do other circuit breakers cost?'

/** Several rounds of warming up, for V8 takes some of its code back when a job begins anew. */
const FULL = { rounds: 9, warmRounds: 2, calls: 20_000, warmCalls: 3_000, coreMs: 90, warmMs: 20 }
const QUICK = { rounds: 2, warmRounds: 2, calls: 2_000, warmCalls: 500, coreMs: 15, warmMs: 5 }

/** Label, role, and which of the contestants it is. */
const PANELS = [
  {
    title: 'Closed: a call that succeeds',
    loop: countResolved,
    rows: [
      ['await fn()', 'floor', 'await fn()'],
      ['busbar', 'busbar', 'busbar closed'],
      ['cockatiel', 'peer', 'cockatiel closed'],
      ['opossum', 'peer', 'opossum closed'],
    ],
  },
  {
    title: `Closed, with a timeout of ${TIMEOUT_MS / 1_000} s: a call that succeeds`,
    loop: countResolved,
    rows: [
      ['await fn()', 'floor', 'await fn()'],
      ['busbar', 'busbar', 'busbar timed'],
      ['cockatiel', 'peer', 'cockatiel timed'],
      ['opossum', 'peer', 'opossum timed'],
    ],
  },
  {
    title: 'Open: refused, the error caught',
    loop: countRejected,
    rows: [
      ['await one rejected promise', 'floor', 'await one rejected promise'],
      ['await fn() that throws a new error', 'floor', 'await fn() that throws a new error'],
      ['busbar', 'busbar', 'busbar open'],
      ['cockatiel', 'peer', 'cockatiel open'],
      ['opossum', 'peer', 'opossum open'],
    ],
  },
  {
    title: 'Open: refused, without an exception',
    loop: countResolved,
    rows: [
      ['await fn()', 'floor', 'await fn()'],
      ['busbar tryExecute', 'busbar', 'busbar openTried'],
      ['busbar, fallback', 'busbar', 'busbar openInstead'],
      ['cockatiel, fallback', 'peer', 'cockatiel openInstead'],
      ['opossum, fallback', 'peer', 'opossum openInstead'],
    ],
  },
]

export async function ask({ quick, say, random }) {
  const plan = quick ? QUICK : FULL
  const panels = await askPeers(plan, say, random)
  say('compiling the Rust program')
  const seed = await compileSeed()
  try {
    panels.push(await askCore(seed.measure, plan, say, random))
  } finally {
    await seed.remove?.()
  }
  return { panels, notes: await notesOf(seed) }
}

async function askPeers(plan, say, random) {
  const registry = await registryWith(true)
  const contestants = contestantsOf(registry)
  const runs = new Map()
  try {
    // The first round warms up and does not count.
    for (let round = 0; round <= plan.rounds; round++) {
      say(`peers, round ${round} of ${plan.rounds}`)
      for (const entry of shuffled(contestants, random)) {
        const nanoseconds = await timeOf(entry, plan)
        if (round > 0) runs.set(entry.key, [...(runs.get(entry.key) ?? []), nanoseconds])
      }
    }
  } finally {
    registry.close()
  }
  return PANELS.map(({ title, rows }) => ({
    title,
    unit: 'ns',
    better: 'lower',
    rows: rows.map(([label, role, key]) => row(label, runs.get(key), { role })),
  }))
}

/** One entry for each different row: `{ key, loop, open }`. */
function contestantsOf(registry) {
  let made = 0
  const makers = { ...floors }
  for (const [name, make] of Object.entries({ busbar, cockatiel, opossum })) {
    for (const state of Object.keys(make(registry, 'unused'))) {
      makers[`${name} ${state}`] = () => make(registry, `${name} ${++made}`)[state]()
    }
  }
  const entries = new Map()
  for (const { loop, rows } of PANELS) {
    for (const [, , key] of rows) entries.set(key, { key, loop, open: makers[key] })
  }
  return [...entries.values()]
}

/**
 * A contestant of its own each time, so that none carries what earlier rounds left in it. The event
 * loop turns in between, for timers: within the measured time nobody's can fire.
 */
async function timeOf({ key, loop, open }, { calls, warmCalls }) {
  const contestant = await open()
  try {
    await loop(contestant.call, warmCalls)
    await setImmediate()
    const start = process.hrtime.bigint()
    const { counted, last } = await loop(contestant.call, calls)
    const elapsed = Number(process.hrtime.bigint() - start)
    const isRight =
      counted === calls && contestant.isRight(last) && contestant.isAsMeant(warmCalls + calls)
    if (isRight) return elapsed / calls
    throw new Error(`${key}: ${counted} of ${calls} came out as expected; the last: ${last}`)
  } finally {
    contestant.close()
    await setImmediate()
  }
}

async function countResolved(call, calls) {
  let counted = 0
  let last
  for (let i = 0; i < calls; i++) {
    last = await call()
    counted++
  }
  return { counted, last }
}

async function countRejected(call, calls) {
  let counted = 0
  let last
  for (let i = 0; i < calls; i++) {
    try {
      await call()
    } catch (error) {
      last = error
      counted++
    }
  }
  return { counted, last }
}

/** `measureSeed` is missing where there is no Rust. */
async function askCore(measureSeed, plan, say, random) {
  const counts = [...new Set([1, CORES])]
  const crews = new Crews(CORES)
  const inRust = (label, mode, floor) => ({
    label: `Rust ${label}`,
    role: 'peer',
    floor,
    measure: (threads, _warmMs, measureMs) => measureSeed(mode, threads, measureMs),
  })
  const entries = [
    ...FLOORS,
    coreCalls('refusal'),
    coreCalls('refusal', { keeper: false }),
    coreCalls('permit + success'),
    coreCalls('permit + success', { keeper: false }),
  ].map(design => inCrew(crews, design))
  if (measureSeed) {
    entries.push(inRust('refusal', 'refused', ASKING_FLOOR))
    entries.push(inRust('permit + success', 'own', SETTLING_FLOOR))
    const shared = 'permit + success, one set of buckets for all threads'
    entries.push(inRust(shared, 'shared', SETTLING_FLOOR))
  }
  try {
    return await timesOf(entries, counts, plan, say, random)
  } finally {
    await crews.close()
  }
}

async function notesOf(seed) {
  const notes = [
    'cockatiel and opossum have no calls without a promise, and each thread has breakers of its ' +
      'own there: nothing of theirs stands beside the core calls or in several threads.',
    'opossum adds up its statistics once a second, cockatiel and busbar do not: that falls between ' +
      'the measured times and is in none of the figures.',
    'For its timeout cockatiel gets a policy of its own inside the breaker, as its documentation ' +
      "shows; opossum's is its default.",
  ]
  if (seed.problem === undefined) {
    notes.push(
      `The Rust program (${seed.version}, -O) looks at the clock in each call, as busbar does ` +
        'without a keeper, and keeps no slow calls, trials or half-open state.',
    )
  } else {
    notes.push(`The Rust program was not measured: ${seed.problem}.`)
  }
  notes.push(
    (await hasJava())
      ? 'A Java machine is here, but no Resilience4j: it was not measured.'
      : 'There is no Java machine here: Resilience4j was not measured.',
  )
  return notes
}
