/** What does it cost to look a breaker up by its key, to make room for one, to change options? */
import { askFresh } from '../lib/fresh.mjs'
import { row } from '../lib/result.mjs'

export const title = 'What do breakers by key cost?'

const KEYS = Array.from({ length: 64 }, (_, key) => `host-${key}.example:8080`)
/** Calls a sample, of what takes microseconds. */
const SLOW_BATCH = 500
const OPTIONS = { slidingWindow: { type: 'time', durationMs: 86_400_000 } }

/** What no such look-up can do without: a map, and a look whether the breaker is still there. */
class LookUpFloor {
  #words = new Int32Array(new SharedArrayBuffer(1024))
  #held = new Map(KEYS.map(key => [key, { word: 0 }]))

  find(key) {
    const held = this.#held.get(key)
    return Atomics.load(this.#words, held.word) === 0 ? held : undefined
  }
}

function each(calls, work) {
  for (let call = 0; call < calls; call++) work(KEYS[call & 63])
  return calls
}

function call(breaker) {
  breaker.recordSuccess(breaker.tryAcquire())
}

function grouped(registry, max) {
  return registry.keyed(`of ${max}`, { ...OPTIONS, max })
}

/** A new key for each call, in a group that is full. */
function making(max) {
  return {
    role: 'busbar',
    keeper: true,
    batch: SLOW_BATCH,
    prepare(registry) {
      const group = grouped(registry, max)
      let made = 0
      const make = () => call(group.breaker(`tenant-${made++}`))
      for (let key = 0; key < max; key++) make()
      return {
        run(calls) {
          for (let key = 0; key < calls; key++) make()
          return calls
        },
        check() {
          if (group.keys().length !== max) throw new Error(`not ${max} breakers`)
        },
      }
    },
  }
}

export const cases = {
  floor: {
    role: 'floor',
    prepare() {
      const floor = new LookUpFloor()
      let found = 0
      const find = key => {
        if (floor.find(key) !== undefined) found++
      }
      return {
        run: calls => each(calls, find),
        check(calls) {
          if (found !== calls) throw new Error(`found ${found} of ${calls}`)
        },
      }
    },
  },
  lookUp: {
    role: 'busbar',
    keeper: true,
    prepare(registry) {
      const group = grouped(registry, KEYS.length)
      let last
      const find = key => {
        last = group.breaker(key)
      }
      return {
        run: calls => each(calls, find),
        check() {
          if (last?.state !== 'closed') throw new Error('no breaker')
        },
      }
    },
  },
  held: {
    role: 'busbar',
    keeper: true,
    prepare(registry) {
      const held = new Map(KEYS.map(key => [key, registry.breaker(key, OPTIONS)]))
      return { run: calls => each(calls, key => call(held.get(key))), check() {} }
    },
  },
  byKey: {
    role: 'busbar',
    keeper: true,
    prepare(registry) {
      const group = grouped(registry, KEYS.length)
      return { run: calls => each(calls, key => call(group.breaker(key))), check() {} }
    },
  },
  configure: {
    role: 'busbar',
    keeper: true,
    batch: SLOW_BATCH,
    prepare(registry) {
      const breaker = registry.breaker('configured', OPTIONS)
      let round = 0
      return {
        run(calls) {
          for (let done = 0; done < calls; done++) {
            breaker.configure({ minimumNumberOfCalls: 10 + (round++ & 15) })
          }
          return calls
        },
        check() {
          const { minimumNumberOfCalls } = breaker.options
          if (minimumNumberOfCalls !== 10 + ((round - 1) & 15)) throw new Error('other options')
        },
      }
    },
  },
  'making, 16': making(16),
  'making, 128': making(128),
}

const PANELS = [
  ['A look-up by key', { floor: 'Map.get, one Atomics.load', lookUp: 'keyed.breaker(key)' }],
  ['A look-up, a permit and a success', { held: 'breakers in a Map', byKey: 'keyed breakers' }],
  [
    'Made anew',
    {
      'making, 16': 'a key more than there is room for, of 16',
      'making, 128': 'a key more than there is room for, of 128',
      configure: 'configure',
    },
  ],
]

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask(how) {
  const runs = await askFresh(import.meta.url, cases, how, {
    registryOptions: { maxBreakers: 512 },
  })
  return {
    panels: PANELS.map(([panel, rows]) => ({
      title: panel,
      unit: 'ns',
      better: 'lower',
      rows: Object.entries(rows).map(([name, label]) =>
        row(label, runs.get(name), { role: cases[name].role }),
      ),
    })),
    notes: [
      'A look-up notes that the breaker is used, once a tick of the keeper.',
      'Making one looks at all of its group: its cost grows with them.',
    ],
  }
}
