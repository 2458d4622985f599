/** What does it cost to ask a throttle? */
import { askFresh } from '../lib/fresh.mjs'
import { row } from '../lib/result.mjs'

export const title = 'What does a decision of a throttle cost?'

const DAY_MS = 86_400_000
const OPTIONS = { windowMs: DAY_MS, minimumRequestsPerSecond: 0 }
const PARTS = 2 ** 24

/** What no throttle can do without: one look at a shared word, one random number, a comparison. */
class DrawFloor {
  #words = new Int32Array(new SharedArrayBuffer(1024))
  #state = 0x2545f491

  constructor(probability) {
    Atomics.store(this.#words, 0, probability * PARTS)
  }

  tryAcquire() {
    const parts = Atomics.load(this.#words, 0)
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return state >>> 8 < parts ? -1 : 0
  }
}

/** Asks, and sees in the end that about such a part was refused. */
function deciding(throttle, probability) {
  let refused = 0
  return {
    run(calls) {
      for (let call = 0; call < calls; call++) refused -= throttle.tryAcquire()
      return calls
    },
    check(calls) {
      const part = refused / calls
      if (!(Math.abs(part - probability) < 0.05))
        throw new Error(`${part} of the calls were refused`)
    },
  }
}

function floor(probability) {
  return { role: 'floor', prepare: () => deciding(new DrawFloor(probability), probability) }
}

/** Refuses with no more than `probability`, and would with nearly 1. */
function throttle(keeper, probability) {
  return {
    role: 'busbar',
    keeper,
    prepare(registry) {
      const most = { maxRejectionProbability: probability || 1 }
      const made = registry.throttle(`refuses ${probability}`, { ...OPTIONS, ...most })
      if (probability > 0) for (let call = 0; call < 1_000; call++) made.recordRejected(0)
      else made.recordAccepted(0)
      return deciding(made, probability)
    },
  }
}

const PANELS = [
  ['A decision, nothing refused', 0],
  ['A decision, half refused', 0.5],
]
const FLOOR = 'one Atomics.load, one random number'

function names(probability) {
  const of = keeper => `probability ${probability}, keeper ${keeper ? 'on' : 'off'}`
  return { floor: `${FLOOR}, probability ${probability}`, on: of(true), off: of(false) }
}

export const cases = Object.fromEntries(
  PANELS.flatMap(([, probability]) => {
    const { floor: bare, on, off } = names(probability)
    return [
      [bare, floor(probability)],
      [on, throttle(true, probability)],
      [off, throttle(false, probability)],
    ]
  }),
)

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask(how) {
  const runs = await askFresh(import.meta.url, cases, how)
  return {
    panels: PANELS.map(([panel, probability]) => {
      const { floor: bare, on, off } = names(probability)
      const rowOf = (label, name) => row(label, runs.get(name), { role: cases[name].role })
      return {
        title: panel,
        unit: 'ns',
        better: 'lower',
        rows: [
          rowOf(FLOOR, bare),
          rowOf('throttle, keeper on', on),
          rowOf('throttle, keeper off', off),
        ],
      }
    }),
    notes: [
      'A decision counts itself: those admitted as such, those refused also in the window.',
      'Each run is a thread of its own that has done nothing else, so V8 inlines all it can.',
    ],
  }
}
