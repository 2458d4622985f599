// A process of the tests, on the built package: what getRegistry makes of an import, by thread.
import { once } from 'node:events'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { getRegistry } from '../../dist/index.js'

const breakers = [
  { name: 'held', state: 'forced-open', openings: 0 },
  { name: 'open', state: 'open', openings: 2, remainingMs: 60_000 },
  { name: 'later', state: 'disabled', openings: 0 },
]
const kept = { busbar: 1, breakers }
const OTHER = { import: { busbar: 1, breakers: breakers.slice(1) } }

function codeOf(work) {
  try {
    work()
    return 'nothing'
  } catch (error) {
    return error.code
  }
}

if (isMainThread) {
  const refusedFirst = codeOf(() => getRegistry({ import: { busbar: 2 } }))
  const registry = getRegistry({ import: kept })
  const main = registry.breaker('held').state
  const worker = new Worker(new URL(import.meta.url))
  const [answer] = await once(worker, 'message')
  const result = {
    refusedFirst,
    main,
    same: getRegistry({ import: structuredClone(kept) }) === registry,
    other: codeOf(() => getRegistry(OTHER)),
    malformed: codeOf(() => getRegistry({ import: {} })),
    worker: answer,
    exported: registry.export().breakers.map(({ state }) => state),
  }
  console.log(JSON.stringify(result))
} else {
  const registry = getRegistry({ import: kept })
  const open = registry.breaker('open', { minimumNumberOfCalls: 7 })
  const states = [registry.breaker('held').state, open.state]
  parentPort.postMessage({ states, other: codeOf(() => getRegistry(OTHER)) })
}
