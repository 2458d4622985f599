// Starts the client's thread and asks it for load, a phase at a time.
import { Worker } from 'node:worker_threads'

/** @typedef {{ sentMs: number, answeredMs: number, status: number }} Answer */

/** @param {string} url */
export function startClient(url) {
  const thread = new Worker(new URL('./client-thread.mjs', import.meta.url), {
    workerData: { url },
  })
  const tellers = new Map()
  let lastId = 0
  thread.on('message', ({ id, event, answers }) => tellers.get(id)[event](answers))

  return {
    /**
     * Sends the requests at an even pace, without waiting for answers. `sent` resolves when the
     * last is on its way, so that the next phase can follow at once; `answered` when all are back.
     * @returns {{ sent: Promise<void>, answered: Promise<Answer[]> }}
     */
    load({ requests, intervalMs }) {
      lastId += 1
      const teller = {}
      const sent = new Promise(resolve => Object.assign(teller, { sent: resolve }))
      const answered = new Promise(resolve => Object.assign(teller, { answered: resolve }))
      tellers.set(lastId, teller)
      thread.postMessage({ id: lastId, requests, intervalMs })
      return { sent, answered }
    },
    stop: () => thread.terminate(),
  }
}
