// node examples/opossum/main.mjs (after npm run build)
//
// The same four threads call a dead service through opossum, and through opossum's class on shared
// breakers. Nothing differs but where CircuitBreaker comes from: see thread.mjs.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { getRegistry } from '../../dist/index.js'

const THREADS = 4

// Made on the main thread, before the workers: the second of the two lines that change.
getRegistry()

/** What reached the service, and what was refused, over all threads. */
async function measure(library) {
  const threads = Array.from({ length: THREADS }, () => {
    return new Worker(new URL('thread.mjs', import.meta.url), { workerData: { library } })
  })
  await Promise.all(threads.map(thread => once(thread, 'message')))
  for (const thread of threads) thread.postMessage('begin')
  const counts = await Promise.all(threads.map(thread => once(thread, 'message')))
  const sum = key => counts.reduce((total, [count]) => total + count[key], 0)
  return { made: sum('made'), refused: sum('refused'), heard: sum('heard') }
}

console.log('                 reached the service   refused   threads that heard `open`')
for (const library of ['opossum', 'busbar/opossum']) {
  const { made, refused, heard } = await measure(library)
  const cells = [String(made).padStart(20), String(refused).padStart(9), String(heard).padStart(14)]
  console.log(`${library.padEnd(16)} ${cells.join(' ')}`)
}
