/**
 * A thread that makes the calls of a script, breaker after breaker, in step with the other threads as
 * far as they are running, and notes when each call began and ended: stamps of one shared counter.
 *
 * control: 0 the batch that may run, 1 stop, 2 the stamps, 3 how many are done, 4 .. each one's place.
 * script: { code, which of its own calls gave the permit } for each breaker, worker and call.
 * results: { invoked, returned, result } for each of them; an invocation of -1 says that it was not
 * made, having no permit to settle.
 */
import { workerData } from 'node:worker_threads'
import { attachRegistry, REFUSED } from 'busbar'

const { handle, names, codes, states, control, script, results, index, workers, length } =
  workerData
const [BATCH, STOP, STAMP, FINISHED, PLACES] = [0, 1, 2, 3, 4]
/** How long to wait for another thread: on a machine with few cores it may not be running. */
const PATIENCE = 20_000

const registry = attachRegistry(handle)
const breakers = names.map(name => registry.breaker(name))
const permits = new Array(length).fill(REFUSED)

/** With two cores two threads run in step; the others meet them where they are interrupted. */
function waitForAnother(place) {
  Atomics.store(control, PLACES + index, place)
  for (let turn = 0; turn < PATIENCE; turn++) {
    for (let worker = 0; worker < workers; worker++) {
      if (worker !== index && Atomics.load(control, PLACES + worker) >= place) return
    }
  }
}

function callOne(breaker, code, permit) {
  switch (code) {
    case 'tryAcquire':
      return breaker.tryAcquire()
    case 'state':
      return states.indexOf(breaker.state)
    case 'recordSuccess':
    case 'recordFailure':
    case 'release':
      breaker[code](permit)
      return 0
    default:
      breaker[code]()
      return 0
  }
}

function runScript(which) {
  const breaker = breakers[which]
  for (let step = 0; step < length; step++) {
    const at = (which * workers + index) * length + step
    const code = codes[script[at * 2]]
    const from = script[at * 2 + 1]
    const permit = from >= 0 ? permits[from] : 0
    if (permit === REFUSED) {
      permits[step] = REFUSED
      results[at * 3] = -1
      continue
    }
    const invoked = Atomics.add(control, STAMP, 1)
    const result = callOne(breaker, code, permit)
    const returned = Atomics.add(control, STAMP, 1)
    permits[step] = code === 'tryAcquire' ? result : REFUSED
    results[at * 3] = invoked
    results[at * 3 + 1] = returned
    results[at * 3 + 2] = result
  }
}

for (let batch = 0; ; batch++) {
  while (Atomics.load(control, BATCH) === batch) Atomics.wait(control, BATCH, batch, 1000)
  if (Atomics.load(control, STOP) === 1) break
  for (let which = 0; which < breakers.length; which++) {
    waitForAnother(which + 1)
    runScript(which)
  }
  Atomics.add(control, FINISHED, 1)
  Atomics.notify(control, FINISHED)
}
