// node examples/live-options/main.mjs (after npm run build)
//
// Two threads call a dependency of which three calls in ten fail. A file says when their breaker
// opens, and changes meanwhile. Start reading in watch-options.mjs.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { getRegistry } from 'busbar'
import { watchOptions } from './watch-options.mjs'

/** What the file says, one after the other. */
const contents = [
  '{ "stock": { "failureRateThreshold": 0.5 } }',
  '{ "stock": { "failureRateThreshold": 0.2 }, "pay',
  '{ "stock": { "failureRateThreshold": 0.2 }, "payments": { "failureRateThreshold": 20 } }',
  '{ "stock": { "slidingWindow": { "type": "count", "size": 10 } } }',
  '{ "stok": { "optionSet": "storm" } }',
  '{ "stock": { "optionSet": "storm" }, "payments": { "optionSet": "storm" } }',
]

const optionSets = {
  calm: { failureRateThreshold: 0.8, waitDurationInOpenStateMs: 5_000 },
  storm: { failureRateThreshold: 0.2, waitDurationInOpenStateMs: 60_000 },
}

const registry = getRegistry({ optionSets })
registry.breaker('stock', { optionSet: 'calm' })
registry.breaker('payments', { optionSet: 'calm' })
const threads = [1, 2].map(() => new Worker(new URL('./thread.mjs', import.meta.url)))

async function callsOf(thread) {
  thread.postMessage('call')
  const [{ threshold, served, failed, refused }] = await once(thread, 'message')
  return `opens at ${threshold * 100} %; ${served} served, ${failed} failed, ${refused} refused`
}

const folder = mkdtempSync(join(tmpdir(), 'busbar-options-'))
const file = join(folder, 'options.json')
writeFileSync(file, '{}')
let tell = () => {}
const report = error => tell(error === undefined ? 'applied' : `refused: ${error.message}`)
const stop = watchOptions(registry, file, { optionSets, intervalMs: 50, report })

for (const content of contents) {
  writeFileSync(file, content)
  const told = await new Promise(resolve => {
    tell = resolve
  })
  console.log(`${content}\n  ${told}`)
  for (const thread of threads) console.log(`  thread ${thread.threadId}: ${await callsOf(thread)}`)
}

stop()
rmSync(folder, { recursive: true })
await Promise.all(threads.map(thread => thread.terminate()))
registry.close()
