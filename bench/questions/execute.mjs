/** What does the async face cost, beside awaiting the same function bare? */
import { CountFloor } from '../lib/floors.mjs'
import { askFresh } from '../lib/fresh.mjs'
import { watch } from '../lib/loops.mjs'
import { row } from '../lib/result.mjs'

export const title = 'What does execute cost?'

/** Some 0.5 ms at 100 ns a call. */
const BATCH = 5_000
const LONG_MS = 3_600_000
const TIMEOUT_MS = 30_000
const CODE = 'ERR_CIRCUIT_OPEN'

const asyncOne = async () => 1
const syncOne = () => 1

/** Awaits `call(fn)` again and again; every result is 1. */
function awaited(call) {
  return async calls => {
    let sum = 0
    for (let i = 0; i < calls; i++) sum += await call()
    return sum
  }
}

/** Awaits what rejects, and catches it. */
function caught(call) {
  return async calls => {
    let refused = 0
    for (let i = 0; i < calls; i++) {
      try {
        await call()
      } catch (error) {
        if (error.code === CODE) refused++
      }
    }
    return refused
  }
}

function caughtSync(call) {
  return calls => {
    let refused = 0
    for (let i = 0; i < calls; i++) {
      try {
        call()
      } catch (error) {
        if (error.code === CODE) refused++
      }
    }
    return refused
  }
}

function summed(call) {
  return calls => {
    let sum = 0
    for (let i = 0; i < calls; i++) sum += call()
    return sum
  }
}

function floor(makeRun) {
  return { role: 'floor', batch: BATCH, prepare: () => ({ run: makeRun(), check() {} }) }
}

function closed(makeRun, { keeper = true, options = undefined } = {}) {
  return {
    role: 'busbar',
    keeper,
    batch: BATCH,
    prepare(registry) {
      const breaker = registry.breaker('closed', options)
      breaker.reset()
      const expect = watch(breaker, 'closed')
      const check = calls => expect({ admitted: calls, succeeded: calls, refused: 0 })
      return { run: makeRun(breaker), check }
    },
  }
}

function open(makeRun, { keeper = true } = {}) {
  return {
    role: 'busbar',
    keeper,
    batch: BATCH,
    prepare(registry) {
      const breaker = registry.breaker('open', { waitDurationInOpenStateMs: LONG_MS })
      breaker.reset()
      breaker.open()
      const expect = watch(breaker, 'open')
      return { run: makeRun(breaker), check: calls => expect({ refused: calls, admitted: 0 }) }
    },
  }
}

/** A promise that was rejected long ago, and whose rejection somebody has handled. */
function rejectedOnce() {
  const rejected = Promise.reject(Object.assign(new Error('open'), { code: CODE }))
  rejected.catch(() => {})
  return rejected
}

const AWAIT = 'await fn()'
const CLOSED = {
  [AWAIT]: floor(() => awaited(() => asyncOne())),
  'await execute(fn)': closed(b => awaited(() => b.execute(asyncOne))),
  'await execute(fn), keeper off': closed(b => awaited(() => b.execute(asyncOne)), {
    keeper: false,
  }),
  'await execute(fn), fn not async': closed(b => awaited(() => b.execute(syncOne))),
  'with isFailure': closed(b => awaited(() => b.execute(asyncOne)), {
    options: { isFailure: result => result !== 1 },
  }),
  'with a fallback': closed(b => {
    const options = { fallback: () => 0 }
    return awaited(() => b.execute(asyncOne, options))
  }),
  'with a signal': closed(b => {
    const options = { signal: new AbortController().signal }
    return awaited(() => b.execute(asyncOne, options))
  }),
  'with a timeout': closed(b => {
    const options = { timeoutMs: TIMEOUT_MS }
    return awaited(() => b.execute(asyncOne, options))
  }),
  'with a timeout, and fn reads its signal': closed(b => {
    const options = { timeoutMs: TIMEOUT_MS }
    return awaited(() => b.execute(async ({ signal }) => (signal.aborted ? 0 : 1), options))
  }),
  'wrap(fn)': closed(b => awaited(b.wrap(asyncOne))),
  'tryExecute(fn)': closed(b => {
    const one = async () => (await b.tryExecute(asyncOne)).value
    return awaited(one)
  }),
}

const REJECTED = 'await a promise rejected long ago'
const OPEN = {
  [REJECTED]: floor(() => {
    const rejected = rejectedOnce()
    return caught(() => rejected)
  }),
  'await execute(fn), caught': open(b => caught(() => b.execute(asyncOne))),
  'await execute(fn), caught, keeper off': open(b => caught(() => b.execute(asyncOne)), {
    keeper: false,
  }),
  'wrap(fn), caught': open(b => caught(b.wrap(asyncOne))),
  'tryExecute(fn), not thrown': open(b => async calls => {
    let refused = 0
    for (let i = 0; i < calls; i++) {
      const result = await b.tryExecute(asyncOne)
      if (result.ok === false && result.refused) refused++
    }
    return refused
  }),
}

const FALLBACK = 'await fallback()'
const FALLBACKS = {
  [FALLBACK]: floor(() => awaited(() => asyncOne())),
  'await execute(fn, { fallback })': open(b => {
    const options = { fallback: asyncOne }
    return awaited(() => b.execute(asyncOne, options))
  }),
  'await execute(fn, { fallback }), fallback not async': open(b => {
    const options = { fallback: syncOne }
    return awaited(() => b.execute(asyncOne, options))
  }),
}

const SYNC = 'two Atomics.load, one Atomics.add, fn()'
const SYNC_CLOSED = {
  [SYNC]: floor(() => {
    const counter = new CountFloor()
    return summed(() => {
      const result = syncOne()
      counter.recordSuccess(counter.tryAcquire())
      return result
    })
  }),
  'executeSync(fn)': closed(b => summed(() => b.executeSync(syncOne))),
}

const THROWN = 'throw one ready error'
const SYNC_OPEN = {
  [THROWN]: floor(() => {
    const error = Object.assign(new Error('open'), { code: CODE })
    return caughtSync(() => {
      throw error
    })
  }),
  'executeSync(fn), caught': open(b => caughtSync(() => b.executeSync(syncOne))),
}

const PANELS = {
  'A call through a closed breaker': CLOSED,
  'A refusal through execute': OPEN,
  'A refusal with a fallback': FALLBACKS,
  'executeSync, closed': SYNC_CLOSED,
  'executeSync, open': SYNC_OPEN,
}

export const cases = Object.assign({}, ...Object.values(PANELS))

/** @param {{ quick: boolean, say: (text: string) => void, random: () => number }} how */
export async function ask(how) {
  const runs = await askFresh(import.meta.url, cases, how)
  return {
    panels: Object.entries(PANELS).map(([name, panelCases]) => ({
      title: name,
      unit: 'ns',
      better: 'lower',
      rows: Object.entries(panelCases).map(([label, { role }]) =>
        row(label, runs.get(label), { role }),
      ),
    })),
    notes: [
      'Each run is a thread of its own that has done nothing else, so V8 inlines all it can.',
      'fn does nothing, so these are the costs of the breaker alone. The keeper is on unless said.',
    ],
  }
}
