// The placements: where the loan service runs, and where its breakers' state is kept.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createRegistry, getRegistry } from 'busbar'
import { breakersOf } from './breakers.mjs'
import { startLoanService } from './loan-service.mjs'

/**
 * @typedef {object} Placement
 * @property {string[]} urls  of the loan services, one a thread
 * @property {() => Promise<{ breakers: number, open: number }>} count
 * @property {() => unknown} stop
 */

/** One loan service, in this thread. @returns {Promise<Placement>} */
export async function inOneThread({ urls, key, failures }) {
  const registry = createRegistry()
  const { breakerFor, count } = breakersOf(registry, { key, failures })
  const service = await startLoanService({ urls, breakerFor })
  return {
    urls: [service.url],
    count: async () => count(),
    stop() {
      service.stop()
      registry.close()
    },
  }
}

/** A loan service in each of four threads, with breakers of its own. @returns {Promise<Placement>} */
export async function perThread(options) {
  const { threads, urls, stop } = await startThreads({ ...options, shared: false })
  async function count() {
    const counts = await Promise.all(threads.map(countIn))
    return counts.reduce((sum, { breakers, open }) => ({
      breakers: sum.breakers + breakers,
      open: sum.open + open,
    }))
  }
  return { urls, count, stop }
}

/** A loan service in each of four threads, with the same breakers. @returns {Promise<Placement>} */
export async function shared(options) {
  const { count } = breakersOf(getRegistry(), options) // before the workers, so that they find it
  const { urls, stop } = await startThreads({ ...options, shared: true })
  return { urls, count: async () => count(), stop }
}

async function startThreads(workerData) {
  const file = new URL('./loan-thread.mjs', import.meta.url)
  const threads = Array.from({ length: 4 }, () => new Worker(file, { workerData }))
  const started = await Promise.all(threads.map(thread => once(thread, 'message')))
  return {
    threads,
    urls: started.map(([url]) => url),
    stop: () => Promise.all(threads.map(thread => thread.terminate())),
  }
}

async function countIn(thread) {
  thread.postMessage('count')
  const [count] = await once(thread, 'message')
  return count
}
