/** What does it cost to ask which hosts are out, to choose one, and to record its call? */
import { askFresh } from '../lib/fresh.mjs'
import { row } from '../lib/result.mjs'

export const title = 'What do host groups cost?'

const HOSTS = Array.from({ length: 20 }, (_, n) => `http://10.0.0.${n}:8080`)
const DAY_MS = 86_400_000
const OPTIONS = {
  consecutiveFailures: 5,
  intervalMs: DAY_MS,
  baseEjectionMs: DAY_MS,
  maxEjectionMs: DAY_MS,
}
/** A failure is one CAS on a shared line more. */
const FAILURE_BATCH = 10_000

/** What no group can do without: one look at a shared word, and one at the host by its name. */
class LookFloor {
  #words = new Int32Array(new SharedArrayBuffer(1024))
  #hosts = new Map(HOSTS.map(host => [host, { until: 0 }]))

  isEjected(host) {
    return Atomics.load(this.#words, 0) !== 0 || this.#hosts.get(host).until > 0
  }
}

/** The same and what chooses and counts: a random number, a clock reading, an add of one's own. */
class PickFloor extends LookFloor {
  #counts = new Int32Array(new SharedArrayBuffer(1024))

  pick(hosts) {
    const host = hosts[Math.floor(Math.random() * hosts.length)]
    return this.isEjected(host) ? hosts[0] : host
  }

  record(_host, outcome) {
    if (process.hrtime()[0] >= 0 && outcome === 'success') Atomics.add(this.#counts, 64, 1)
  }
}

const asking = (group, host, expected) => ({
  run(calls) {
    let right = 0
    for (let call = 0; call < calls; call++) if (group.isEjected(host) === expected) right++
    return right
  },
  check() {},
})

const picking = (group, expected) => ({
  run(calls) {
    for (let call = 0; call < calls; call++) group.record(group.pick(HOSTS), 'success')
    return calls
  },
  check() {
    const { ejected } = group.snapshot?.() ?? { ejected: expected }
    if (ejected !== expected) throw new Error(`${ejected} hosts are ejected, not ${expected}`)
  },
})

const failing = (group, host) => ({
  run(calls) {
    for (let call = 0; call < calls; call++) group.record(host, 'failure')
    return calls
  },
  check() {
    if (group.isEjected(host)) throw new Error(`${host} was ejected`)
  },
})

function groupOf(registry, name, options = {}) {
  const group = registry.hosts(name, { ...OPTIONS, ...options })
  for (const host of HOSTS) group.record(host, 'success')
  return group
}

function withOneOut(registry) {
  const group = groupOf(registry, 'one out')
  for (let failure = 0; failure < 5; failure++) group.record(HOSTS[0], 'failure')
  return group
}

const busbar = (keeper, prepare, more = {}) => ({ role: 'busbar', keeper, prepare, ...more })
const floor = prepare => ({ role: 'floor', prepare })

const LOOK = 'one Atomics.load, one Map.get'
const PICK = 'the same, a random number, process.hrtime(), one Atomics.add'

function casesOf(keeper) {
  const named = text => `${text}, keeper ${keeper ? 'on' : 'off'}`
  return {
    [named('isEjected, of a host that is not')]: busbar(keeper, registry =>
      asking(groupOf(registry, 'all in'), HOSTS[1], false),
    ),
    [named('isEjected, of one that is')]: busbar(keeper, registry =>
      asking(withOneOut(registry), HOSTS[0], true),
    ),
    [named('pick and record a success, none out')]: busbar(keeper, registry =>
      picking(groupOf(registry, 'all in'), 0),
    ),
    [named('pick and record a success, one out')]: busbar(keeper, registry =>
      picking(withOneOut(registry), 1),
    ),
    [named('record a failure')]: busbar(
      keeper,
      registry => failing(groupOf(registry, 'rows off', { consecutiveFailures: 0 }), HOSTS[2]),
      { batch: FAILURE_BATCH },
    ),
  }
}

export const cases = {
  [LOOK]: floor(() => asking(new LookFloor(), HOSTS[1], false)),
  [PICK]: floor(() => picking(new PickFloor(), 0)),
  ...casesOf(true),
  ...casesOf(false),
}

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask(how) {
  const runs = await askFresh(import.meta.url, cases, how)
  const rowsLike = (bare, pattern) =>
    [bare, ...Object.keys(cases).filter(name => pattern.test(name))].map(name =>
      row(name, runs.get(name), { role: cases[name].role }),
    )
  const panel = (about, bare, pattern) => ({
    title: about,
    unit: 'ns',
    better: 'lower',
    rows: rowsLike(bare, pattern),
  })
  return {
    panels: [
      panel('Is this host out?', LOOK, /^isEjected/),
      panel('A call of a group of 20 hosts', PICK, /^(pick|record)/),
    ],
    notes: [
      'A failure that ends no row: one CAS on a line that all threads share.',
      'Each run is a thread of its own that has done nothing else, so V8 inlines all it can.',
    ],
  }
}
