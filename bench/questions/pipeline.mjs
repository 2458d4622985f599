/** What does a whole pipeline cost, everything healthy, beside awaiting the function bare? */
import { askFresh } from '../lib/fresh.mjs'
import { opossum } from '../lib/peers.mjs'
import { row } from '../lib/result.mjs'

export const title = 'What does a pipeline cost?'

/** Some milliseconds. */
const BATCH = 5_000
const TIMEOUT_MS = 30_000

const asyncOne = async () => 1

const THROTTLE = { throttle: {} }
const BULKHEAD = { bulkhead: { maxConcurrentCalls: 100 } }
const BREAKER = { breaker: {} }
const RETRY = { retry: { budget: {} } }

function awaited(call) {
  return async calls => {
    let sum = 0
    for (let i = 0; i < calls; i++) sum += await call()
    return sum
  }
}

const FLOOR = 'await fn()'

/** Checks that every part that it has let every call through. */
function pipeline(parts) {
  return {
    role: 'busbar',
    keeper: true,
    batch: BATCH,
    prepare(registry) {
      const made = registry.pipeline('p', parts)
      const before = admitted(made.snapshot())
      return {
        run: awaited(() => made.execute(asyncOne)),
        check(calls) {
          const after = admitted(made.snapshot())
          const grown = after.map((count, part) => count - before[part])
          if (grown.some(count => count !== calls)) throw new Error(`${grown} of ${calls} calls`)
        },
      }
    },
  }
}

function admitted({ throttle, bulkhead, breaker }) {
  return [throttle, bulkhead, breaker].flatMap(part => (part ? [part.totals.admitted] : []))
}

/** opossum's breaker alone: what many have today. */
function peer(make) {
  return {
    role: 'peer',
    batch: BATCH,
    prepare() {
      const { call, isAsMeant } = make()
      return {
        run: awaited(async () => ((await call()) === undefined ? 0 : 1)),
        check(calls) {
          if (!isAsMeant(calls)) throw new Error('opossum is not closed')
        },
      }
    },
  }
}

export const cases = {
  [FLOOR]: {
    role: 'floor',
    batch: BATCH,
    prepare: () => ({ run: awaited(() => asyncOne()), check() {} }),
  },
  breaker: pipeline(BREAKER),
  'throttle, breaker': pipeline({ ...THROTTLE, ...BREAKER }),
  'throttle, bulkhead, breaker': pipeline({ ...THROTTLE, ...BULKHEAD, ...BREAKER }),
  'retry with a budget, throttle, bulkhead, breaker': pipeline({
    ...RETRY,
    ...THROTTLE,
    ...BULKHEAD,
    ...BREAKER,
  }),
  'the same with a timeout': pipeline({
    ...RETRY,
    ...THROTTLE,
    ...BULKHEAD,
    ...BREAKER,
    timeoutMs: TIMEOUT_MS,
  }),
  "opossum's breaker alone": peer(opossum().closed),
  "opossum's breaker alone, with a timeout": peer(opossum().timed),
}

export const panel = 'A call through a pipeline, everything healthy'

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask(how) {
  const runs = await askFresh(import.meta.url, cases, how)
  return {
    panels: [
      {
        title: panel,
        unit: 'ns',
        better: 'lower',
        rows: Object.entries(cases).map(([label, { role }]) =>
          row(label, runs.get(label), { role }),
        ),
      },
    ],
    notes: [
      'Each run is a thread of its own that has done nothing else. fn does nothing.',
      'The keeper is on. A budget costs a clock reading and an addition a call.',
    ],
  }
}
