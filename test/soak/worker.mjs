/**
 * A worker of the soak: shifts of a thousand calls, orders between them. It keeps permits in hand for
 * a while, so that some outcomes are late and some die with it. Every call that has returned is
 * counted in the ledger.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry, REFUSED } from 'busbar'

const { handle, names, fleeting, keyed } = workerData
const { counts, orders, sick, seat, seed, blocks, kinds, codes } = workerData
const [ADMITTED, REFUSALS, SUCCEEDED, FAILED, IGNORED] = [0, 1, 2, 3, 4]
const CALLS = 1000
const STALL_MS = 350
const IN_HAND = 8

let x = seed | 1
function below(limit) {
  x ^= x << 13
  x ^= x >>> 17
  x ^= x << 5
  return (x >>> 0) % limit
}

let registry
let breakers
let group
function attach() {
  registry = attachRegistry(handle)
  breakers = names.map(name => registry.breaker(name))
  group = registry.keyed(keyed.prefix, keyed.options)
}

/** Others than those in the ledger: they are removed while calls of them are in flight. */
const others = []
let handleOfOld

function callOther() {
  const old = handleOfOld ?? registry.breaker(fleeting.name, fleeting.options)
  handleOfOld = old
  const breaker = below(3) === 0 ? old : group.breaker(`${below(keyed.keys)}`)
  const permit = breaker.tryAcquire()
  if (permit !== REFUSED) others.push(breaker, permit)
  if (others.length > below(IN_HAND) * 2) settleOther()
  if (below(50) === 0) registry.remove(fleeting.name)
  if (below(100) === 0) registry.remove(`${keyed.prefix}:${below(keyed.keys)}`)
  // A thread may find it by its name again, or go on with what it has.
  if (below(20) === 0) handleOfOld = undefined
}

function settleOther() {
  const [breaker, permit] = others.splice(0, 2)
  if (below(10) === 0) breaker.recordFailure(permit, 1)
  else breaker.recordSuccess(permit, 1)
}

/** The first takes half of the calls and stays as it is. */
function configure() {
  const initialMs = 10 + below(20)
  breakers[1 + below(names.length - 1)].configure({
    permittedNumberOfCallsInHalfOpenState: 2 + below(4),
    waitDurationInOpenStateMs: { initialMs },
  })
}

/** Permits in hand: breaker and permit in turn. */
const inHand = []

function acknowledge(breaker, kind) {
  counts[(seat * names.length + breaker) * kinds + kind] += 1
}

function settle(breaker, permit) {
  const draw = below(100)
  if (draw < 2) {
    breakers[breaker].release(permit)
    acknowledge(breaker, IGNORED)
  } else if (Atomics.load(sick, breaker) === 1 && draw < 85) {
    breakers[breaker].recordFailure(permit, 60)
    acknowledge(breaker, FAILED)
  } else {
    breakers[breaker].recordSuccess(permit, 1)
    acknowledge(breaker, SUCCEEDED)
  }
}

function callOnce() {
  const breaker = below(2) === 0 ? 0 : below(names.length)
  const permit = breakers[breaker].tryAcquire()
  if (permit === REFUSED) {
    acknowledge(breaker, REFUSALS)
    return
  }
  acknowledge(breaker, ADMITTED)
  if (below(50) === 0) inHand.push(breaker, permit)
  else settle(breaker, permit)
  if (inHand.length > IN_HAND * 2) settleOldest()
}

function settleOldest() {
  const [breaker, permit] = inHand.splice(0, 2)
  settle(breaker, permit)
}

function settleAll() {
  while (others.length > 0) settleOther()
  handleOfOld = undefined
  while (inHand.length > 0) settleOldest()
}

const sleep = new Int32Array(new SharedArrayBuffer(4))

/** False when it is time to go. */
function carryOut(order) {
  switch (order) {
    case codes.stall:
      Atomics.wait(sleep, 0, 0, STALL_MS)
      return true
    case codes.block: {
      const end = performance.now() + 50
      while (performance.now() < end);
      return true
    }
    case codes.exit:
      process.exit(0)
      return false
    case codes.crash:
      throw new Error('the soak asked for it')
    case codes.leave:
      settleAll()
      registry.close()
      attach()
      return true
    case codes.stop:
      settleAll()
      return false
    default:
      return true
  }
}

async function work() {
  for (;;) {
    for (let call = 0; call < CALLS; call++) {
      callOnce()
      if (below(100) === 0) callOther()
    }
    if (below(20) === 0) configure()
    if (below(200) === 0) registry.snapshot()
    if (below(200) === 0) breakers[below(names.length)].snapshot()
    const order = Atomics.load(orders, seat)
    if (order !== codes.none && order !== codes.stop)
      Atomics.compareExchange(orders, seat, order, 0)
    if (!carryOut(order)) return
    // Half of the workers never give their event loop a turn.
    if (!blocks) await new Promise(setImmediate)
  }
}

attach()
parentPort.postMessage('ready')
// Not awaited here: at a worker whose module was asynchronous Node.js 20 once aborted, by a check in
// V8's SourceTextModule::ExecuteAsyncModule; by its stack, as the worker was terminated.
work()
