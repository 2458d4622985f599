import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { type History, randomHistory } from './histories.ts'
import { type Difference, play, report, type Subject } from './play.ts'
import { baseSeed, historyCount } from './random.ts'
import type { Look } from './reference-types.ts'
import { TestThread } from './threads.ts'

const HISTORIES = historyCount(600)
const THREADS = 3

let threads: TestThread[]
beforeAll(async () => {
  threads = await Promise.all(Array.from({ length: THREADS }, () => TestThread.start()))
})
afterAll(async () => {
  await Promise.all(threads.map(thread => thread.stop()))
})

it(
  `${HISTORIES} random histories spread over three threads end as section 2 says`,
  () => {
    const base = baseSeed('three-threads')
    for (let seed = base; seed < base + HISTORIES; seed += 1) {
      const history = randomHistory(seed, THREADS)
      if (playOnce(history).differences.length > 0) expect.fail(report(history, playOnce))
    }
  },
  HISTORIES * 200,
)

/** The main thread makes the region and then only watches: each step is done by a worker. */
function playOnce(history: History): Difference {
  // P9: more threads than slots share one overflow slot, slower and still right.
  const maxThreads = [1, 2, 8][history.seed % 3] ?? 8
  const registry = createRegistry({ clock: 'manual', maxBreakers: 32, maxThreads })
  if (history.startMs > 0) registry.advance(history.startMs)
  // The first to attach makes the breaker; the later ones find it by its name alone.
  for (const [index, thread] of threads.entries()) {
    const options = index === 0 ? history.options : undefined
    thread.ask('attach', { handle: registry.handle, name: 'b', options })
  }
  let looks = 0
  const subject: Subject = {
    call: (thread, call) => threads[thread]?.ask('call', call),
    // In turn the thread that did the step and the others: what one did, all see.
    look: thread => {
      looks += 1
      return threads[(thread + looks) % THREADS]?.ask('look') as Look
    },
  }
  try {
    return play(history, subject)
  } finally {
    for (const thread of threads) thread.ask('attach', {})
    registry.close()
  }
}
