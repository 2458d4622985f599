/**
 * The same calls three times: in JavaScript, in the WebAssembly kernel, and by busbar.h on native
 * threads, which is the physical limit.
 */
import { join } from 'node:path'
import { inFreshCrew, timesOf } from '../lib/core-calls.mjs'
import { ASKING_FLOOR, busbar, FLOORS, SETTLING_FLOOR } from '../lib/designs.mjs'
import { compileNative } from '../lib/programs.mjs'
import { registryWith } from '../lib/registry.mjs'
import { LONG_WAIT_MS } from '../lib/shared-breakers.mjs'
import { CORES } from '../lib/threads.mjs'

export const title = 'What do the same calls cost in JavaScript, in WebAssembly, and in C?'

const FULL = { rounds: 5, warmRounds: 0, coreMs: 90, warmMs: 200 }
const QUICK = { rounds: 1, warmRounds: 0, coreMs: 15, warmMs: 60 }

const CALLS = [
  ['refusal', {}],
  ['refusal', { keeper: false }],
  ['permit + success', {}],
  ['permit + success', { keeper: false }],
  ['permit + success', { window: 'count' }],
]

/** Label, the breaker of the region in the file, what the program calls it, and its floor. */
const NATIVE = [
  ['C: one load', 'time', 'load', undefined],
  ['C: refusal', 'open', 'refusal', ASKING_FLOOR],
  ['C: permit + success, time window', 'time', 'settle', SETTLING_FLOOR],
  ['C: permit + success, count window', 'count', 'settle', SETTLING_FLOOR],
]

/** A file with a region that has one breaker of each kind. */
async function writeRegion(path) {
  const registry = await registryWith(true, { maxBreakers: 8, maxThreads: CORES + 2 })
  const options = { waitDurationInOpenStateMs: LONG_WAIT_MS }
  registry.breaker('open', options).open()
  for (const type of ['time', 'count']) registry.breaker(type, { slidingWindow: { type } })
  registry.dump(path)
  registry.close()
}

export async function ask({ quick, say, random }) {
  const kernels = ['js', 'wasm'].flatMap(kernel =>
    CALLS.map(([job, options]) => busbar(job, { ...options, kernel })),
  )
  const entries = [...FLOORS, ...kernels].map(inFreshCrew)
  say('compiling the C program')
  const native = await compileNative()
  try {
    if (native.problem === undefined) {
      const path = join(native.folder, 'region')
      await writeRegion(path)
      for (const [label, breaker, kind, floor] of NATIVE) {
        const measure = (threads, _warmMs, measureMs) =>
          native.measure(path, breaker, kind, threads, Math.round(measureMs))
        entries.push({ label, role: 'peer', floor, measure })
      }
    }
    const counts = [...new Set([1, CORES])]
    const panel = await timesOf(entries, counts, quick ? QUICK : FULL, say, random)
    return { panels: [panel], notes: notesOf(native) }
  } finally {
    await native.remove?.()
  }
}

function notesOf({ problem, version }) {
  return [
    problem === undefined
      ? `The C program (${version}, -O2) plays the keeper itself and has the region for itself.`
      : `The C program was not measured: ${problem}.`,
    'V8 makes a call of each Atomics operation and compiles those of WebAssembly to single ' +
      'instructions; in C the owner of a counter needs no atomic addition, only a load and a store.',
  ]
}
