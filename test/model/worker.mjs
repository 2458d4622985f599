// A thread that does what it is told, one request at a time, and is otherwise asleep.
//
// It imports busbar by name, as a user's worker would, and so runs the built package. It is plain
// JavaScript because Node 20 cannot start a worker from a .ts file.
//
// gate[0] counts the requests, gate[1] the replies: a sleeping thread needs no event loop, so the
// main thread can drive it synchronously. A third word, when given with a request, is a starting
// line at which several threads wait for each other.
import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const { port, gate } = workerData
let registry
let breaker

/** Attaches to a region, or to none, and always to one at a time. */
function attach({ handle, name, options }) {
  registry?.close()
  registry = handle === undefined ? undefined : attachRegistry(handle)
  breaker = registry?.breaker(name, options)
}

function look() {
  return {
    state: breaker.state,
    canExecute: breaker.canExecute(),
    retryAfterMs: breaker.retryAfterMs(),
    snapshot: breaker.snapshot(),
  }
}

function call([method, ...rest]) {
  return method === 'advance' ? registry.advance(...rest) : breaker[method](...rest)
}

function race({ times, line }) {
  Atomics.wait(line, 0, 0)
  return Array.from({ length: times }, () => breaker.tryAcquire())
}

function settleAll({ method, permits, line }) {
  Atomics.wait(line, 0, 0)
  for (const permit of permits) breaker[method](permit)
}

const now = () => registry.now()
const requests = { attach, look, call, race, settleAll, now }

if (workerData.attach !== undefined) attach(workerData.attach)
for (let done = 0; ; done += 1) {
  // The notify of the request before may come only now and wake us for nothing: look again.
  while (Atomics.load(gate, 0) === done) Atomics.wait(gate, 0, done)
  const { message } = receiveMessageOnPort(port)
  let reply
  try {
    reply = { value: requests[message.request](message.payload) }
  } catch (error) {
    reply = { error: error.stack }
  }
  port.postMessage(reply)
  Atomics.store(gate, 1, done + 1)
  Atomics.notify(gate, 1)
}
