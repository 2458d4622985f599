// The dependency, in a thread of its own. How long it takes is a matter of timers, so that it does
// not depend on the machine. It counts what reaches it.
import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { BEFORE, PHASES } from './pipeline-phases.mjs'

const USUAL_MS = 20
const SLOW_MS = 400
/** When overloaded it works for one request after another, has so many in hand and no more. */
const IN_HAND = 5
const TAKEN_MS = 10
const REJECTED_MS = 1

const phaseWord = new Int32Array(workerData.phase)
const counts = PHASES.map(() => ({ reached: 0, most: 0 }))
let inFlight = 0
let inHand = 0
let freeAt = 0

const manners = {
  healthy: answer => setTimeout(answer, USUAL_MS),
  slow: answer => setTimeout(answer, SLOW_MS),
  overloaded(answer) {
    const now = performance.now()
    const isTaken = inHand < IN_HAND
    freeAt = Math.max(freeAt, now) + (isTaken ? TAKEN_MS : REJECTED_MS)
    if (!isTaken) return answer(503)
    inHand++
    setTimeout(() => {
      inHand--
      answer()
    }, freeAt - now)
  },
  hanging() {},
  recovering: answer => setTimeout(answer, USUAL_MS),
  recovered: answer => setTimeout(answer, USUAL_MS),
}

const server = createServer((_request, response) => {
  // The last phase lasts until all requests have ended.
  const phase = Math.min(Atomics.load(phaseWord, 0), PHASES.length - 1)
  if (phase === BEFORE) return response.end()
  inFlight++
  counts[phase].reached++
  counts[phase].most = Math.max(counts[phase].most, inFlight)
  let isOver = false
  const end = () => {
    if (!isOver) inFlight--
    isOver = true
  }
  // The caller gave it up.
  response.once('close', end)
  manners[PHASES[phase].name]((status = 200) => {
    end()
    response.writeHead(status).end()
  })
})

parentPort.once('message', () => parentPort.postMessage(counts))
server.listen(0, '127.0.0.1', () => {
  parentPort.postMessage(`http://127.0.0.1:${server.address().port}/`)
})
