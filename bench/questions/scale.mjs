/** What do many breakers in one registry cost: memory, making, finding, showing, keeping? */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { attachRegistry } from 'busbar'
import { cpuShares } from '../lib/keeper-share.mjs'
import { registryWith } from '../lib/registry.mjs'
import { row, shuffled } from '../lib/result.mjs'

export const title = 'What do many breakers in one registry cost?'

const MEMORY_JOB = fileURLToPath(new URL('../jobs/region-memory.mjs', import.meta.url))
const PAGE_BYTES = 4096
/** The first longs of a shard are totals; a snapshot looks at all of them in each slot that is used. */
const TOTALS_LONGS = 8
const USED_SLOTS = 2
const LOOK_UPS = 20_000

const FULL = {
  breakers: [1, 10, 100, 1_000, 10_000],
  kept: [1, 1_000, 10_000],
  /** Few of many breakers, many of few: about as much work for each size. */
  rounds: breakers => Math.max(3, Math.min(15, Math.ceil(3_000 / breakers))),
  /** A keeper that sleeps looks after its breakers once a second. */
  keeping: { rounds: 2, workMs: 1_000, restMs: keeper => (keeper ? 2_000 : 300) },
}
const QUICK = {
  breakers: [1, 10, 100, 1_000],
  kept: [1_000],
  rounds: breakers => Math.max(2, Math.min(5, Math.ceil(500 / breakers))),
  keeping: { rounds: 1, workMs: 300, restMs: () => 100 },
}

let sink = 0

function nanosecondsOf(work) {
  const start = process.hrtime.bigint()
  sink += work()
  return Number(process.hrtime.bigint() - start)
}

function namesOf(breakers) {
  return Array.from({ length: breakers }, (_, index) => `breaker-${index}`)
}

// ---- memory -------------------------------------------------------------------------------------

/** In a process of its own: no memory there was used before. */
async function memoryOf(breakers) {
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, [MEMORY_JOB, String(breakers)])
  const found = JSON.parse(stdout)
  for (const { written, resident = written } of [found.made, found.used]) {
    if (Math.abs(written - resident) <= 2 * PAGE_BYTES) continue
    throw new Error(`${breakers} breakers: ${written} bytes written, ${resident} resident`)
  }
  return found
}

async function memoryPanel({ breakers, say }) {
  const rows = []
  for (const x of breakers) {
    say(`the memory of ${x} breakers`)
    const { reserved, made, used } = await memoryOf(x)
    rows.push(row('reserved', [reserved], { x, role: 'busbar' }))
    rows.push(row('touched once all are made', [made.written], { x, role: 'busbar' }))
    rows.push(
      row('touched once each was used by one thread', [used.written], { x, role: 'busbar' }),
    )
  }
  return { title: 'Memory of a registry', unit: 'bytes', better: 'lower', x: 'breakers', rows }
}

// ---- time ---------------------------------------------------------------------------------------

/** Takes the names in turn, so often that two looks at the clock are lost in it. */
function lookUp(names, find) {
  return nanosecondsOf(() => {
    let sum = 0
    for (let step = 0; step < LOOK_UPS; step++) sum += find(names[step % names.length]).name.length
    return sum
  })
}

/** Each takes the names and a registry that has breakers of these names, and says ns for one. */
const FIGURES = {
  'making one': {
    panel: 'making',
    role: 'busbar',
    measure: ({ names, registry }) =>
      nanosecondsOf(() => names.reduce((sum, name) => sum + registry.breaker(name).name.length, 0)),
    divisor: names => names.length,
  },
  'an entry of a Map': {
    panel: 'making',
    role: 'floor',
    measure({ names }) {
      const map = new Map()
      return nanosecondsOf(() => {
        for (const name of names) map.set(name, { name })
        return map.size
      })
    },
    divisor: names => names.length,
  },
  'breaker(name) of one that is held': {
    panel: 'finding',
    role: 'busbar',
    measure: ({ order, registry }) => lookUp(order, name => registry.breaker(name)),
    divisor: () => LOOK_UPS,
  },
  'get(name) of a Map': {
    panel: 'finding',
    role: 'floor',
    measure({ names, order }) {
      const map = new Map(names.map(name => [name, { name }]))
      return lookUp(order, name => map.get(name))
    },
    divisor: () => LOOK_UPS,
  },
  'get(name), the first in another registry': {
    panel: 'meeting',
    role: 'busbar',
    measure: ({ order, other }) => nanosecondsOf(() => other.get(order[0]).name.length),
    divisor: () => 1,
  },
  'get(name), each further one there': {
    panel: 'meeting',
    role: 'busbar',
    least: 2,
    measure: ({ order, other }) =>
      nanosecondsOf(() =>
        order.slice(1).reduce((sum, name) => sum + other.get(name).name.length, 0),
      ),
    divisor: names => names.length - 1,
  },
  'snapshot()': {
    panel: 'showing',
    role: 'busbar',
    measure({ names, registry }) {
      // Made once before, so that all breakers are held.
      const { breakers } = registry.snapshot()
      if (breakers.some(({ totals }) => totals.succeeded !== 1)) throw new Error('wrong totals')
      return nanosecondsOf(() => registry.snapshot().breakers.length - names.length)
    },
    divisor: () => 1,
  },
  'as many loads as the totals take': {
    panel: 'showing',
    role: 'floor',
    measure({ names, registry }) {
      const longs = new BigInt64Array(registry.handle.buffer)
      const stride = Math.floor(longs.length / names.length)
      return nanosecondsOf(() => {
        let sum = 0
        for (let breaker = 0; breaker < names.length; breaker++) {
          for (let long = 0; long < USED_SLOTS * TOTALS_LONGS; long++) {
            sum += Number(Atomics.load(longs, breaker * stride + long) & 1n)
          }
        }
        return sum
      })
    },
    divisor: () => 1,
  },
}

/** One registry of that size, made, searched and shown; adds to `runs`, by figure. */
async function goThrough(breakers, runs, random) {
  const names = namesOf(breakers)
  const registry = await registryWith(false, { maxBreakers: breakers })
  const other = attachRegistry(registry.handle)
  try {
    const given = { names, registry, other, order: shuffled(names, random) }
    for (const [figure, { measure, divisor, least = 1 }] of Object.entries(FIGURES)) {
      if (breakers < least) continue
      const ns = measure(given) / divisor(names)
      runs.set(figure, [...(runs.get(figure) ?? []), ns])
      if (figure === 'making one') useEach(registry, names)
    }
  } finally {
    other.close()
    registry.close()
  }
}

function useEach(registry, names) {
  for (const name of names) {
    const breaker = registry.breaker(name)
    breaker.recordSuccess(breaker.tryAcquire())
  }
}

async function timePanels({ breakers, rounds, say, random }) {
  const rows = { making: [], finding: [], meeting: [], showing: [] }
  await goThrough(breakers[2], new Map(), random)
  for (const x of breakers) {
    say(`the times of ${x} breakers`)
    const runs = new Map()
    for (let round = 0; round < rounds(x); round++) await goThrough(x, runs, random)
    for (const [figure, found] of runs) {
      const { panel, role } = FIGURES[figure]
      rows[panel].push(row(figure, found, { x, role }))
    }
  }
  const common = { unit: 'ns', better: 'lower', x: 'breakers' }
  return [
    { ...common, title: 'Making a breaker, by how many are made', rows: rows.making },
    { ...common, title: 'Finding a breaker that is held, by its name', rows: rows.finding },
    { ...common, title: 'Finding one that another registry has made', rows: rows.meeting },
    { ...common, title: 'Showing all: registry.snapshot()', rows: rows.showing },
  ]
}

// ---- the keeper ---------------------------------------------------------------------------------

async function keeperPanel({ kept, keeping, say }) {
  const rows = []
  let hasKeeper = false
  for (const x of kept) {
    for (const keeper of [true, false]) {
      say(`the keeper of ${x} breakers: ${keeper ? 'on' : 'off'}`)
      const restMs = keeping.restMs(keeper)
      const found = await cpuShares({ ...keeping, keeper, breakers: x, restMs })
      const who = keeper ? 'a keeper' : 'no keeper'
      const role = keeper ? 'busbar' : 'floor'
      for (const [what, runs] of Object.entries({
        'a few calls': found.atWork,
        'no calls': found.atRest,
      })) {
        rows.push(row(`${who}, ${what}`, runs, { x, role, floor: `no keeper, ${what}` }))
      }
      if (keeper) hasKeeper ||= found.hasKeeper
    }
  }
  return {
    hasKeeper,
    panel: {
      title: 'What the keeper takes of one core',
      unit: '%',
      better: 'lower',
      x: 'breakers',
      scale: 'linear',
      rows,
    },
  }
}

export async function ask({ quick, say, random }) {
  const plan = { ...(quick ? QUICK : FULL), say, random }
  const memory = await memoryPanel(plan)
  const times = await timePanels(plan)
  const { panel, hasKeeper } = await keeperPanel(plan)
  if (!Number.isFinite(sink)) throw new Error('what was timed did not return numbers')
  return {
    panels: [memory, ...times, panel],
    notes: [
      'Touched: pages of 4 KiB that hold anything but zeroes, in a process of its own. Where Linux ' +
        'shows the buffer as a mapping of its own, its resident part was checked to be the same. ' +
        'Each further thread touches its shard of each breaker that it uses.',
      'Making was timed from an empty registry to a full one of that size, and is the mean of all. ' +
        'The first get(name) in another registry reads all entries that there are; it was measured ' +
        'in a second registry object of the same thread.',
      'The keeper: CPU time of the whole process, whose main thread makes two calls every 2 ms or ' +
        'none. All breakers have outcomes in their windows, so that a keeper adds each up once for ' +
        'each bucket, here once a second; without a keeper the same calls are the floor.',
      ...(hasKeeper ? [] : ['There was no keeper: the figures with and without one are the same.']),
    ],
  }
}
