/** A worker of the bulkhead tests: runs one job on the built package, then answers or goes on. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry, REFUSED } from '../../../dist/index.js'

const { handle, job, gate, args } = workerData
const gateWord = new Int32Array(gate)
const registry = attachRegistry(handle)
const bulkhead = registry.bulkhead('b')

const say = result => parentPort.postMessage({ result })
const turn = () => new Promise(setImmediate)

/** Waits until the test opens the gate. */
function waitForGate() {
  Atomics.add(gateWord, 1, 1)
  while (Atomics.load(gateWord, 0) === 0);
}

/** A call that is counted by a counter of its own; the most that were made at once. */
class Independent {
  #count
  most = 0

  constructor(buffer) {
    this.#count = new Int32Array(buffer)
  }

  enter() {
    this.most = Math.max(this.most, Atomics.add(this.#count, 0, 1) + 1)
  }

  leave() {
    Atomics.sub(this.#count, 0, 1)
  }

  spin(times) {
    for (let time = 0; time < times; time++) Atomics.load(this.#count, 0)
  }
}

const jobs = {
  /** Asks as fast as it can. */
  hammer({ inFlight, turns }) {
    const calls = new Independent(inFlight)
    const mine = { admitted: 0, refused: 0 }
    waitForGate()
    for (let call = 0; call < turns; call++) {
      const permit = bulkhead.tryAcquire()
      if (permit === REFUSED) mine.refused++
      else {
        calls.enter()
        mine.admitted++
        calls.spin(call % 20)
        calls.leave()
        bulkhead.release(permit)
        if (call % 100 === 0) bulkhead.release(permit)
      }
    }
    return { ...mine, most: calls.most }
  },

  /** Starts all calls at once; each takes a few turns of the loop. */
  async crowd({ inFlight, calls: count }) {
    const calls = new Independent(inFlight)
    waitForGate()
    const made = Array.from({ length: count }, (_, index) =>
      bulkhead.tryExecute(async () => {
        calls.enter()
        for (let turns = index % 3; turns > 0; turns--) await turn()
        calls.leave()
      }),
    )
    const results = await Promise.all(made)
    const refused = results.filter(result => result.refused).length
    return { done: results.filter(({ ok }) => ok).length, refused, most: calls.most }
  },

  /** Takes and waits over and over, giving back half of what it gets, until it is killed. */
  async churn() {
    say(true)
    for (let call = 0; ; call++) {
      bulkhead
        .acquire()
        .then(permit => call % 2 === 0 && bulkhead.release(permit))
        .catch(() => {})
      if (call % 8 === 0) await turn()
    }
  },

  /** Takes permits and joins the queue, says so and does nothing more. */
  hold({ permits, waiters }) {
    for (let call = 0; call < permits; call++) bulkhead.tryAcquire()
    for (let call = 0; call < waiters; call++) bulkhead.acquire().catch(() => {})
    setInterval(() => {}, 1000)
    return bulkhead.snapshot()
  },

  /** Joins the queue, says so, and blocks its loop until the gate opens. */
  async block() {
    const waiting = bulkhead.acquire()
    say(true)
    // The message has to get out.
    await turn()
    Atomics.add(gateWord, 1, 1)
    while (Atomics.load(gateWord, 0) === 0) Atomics.wait(gateWord, 0, 0, 1000)
    bulkhead.release(await waiting)
    say('served')
  },

  /** Waits for the place, says so, says when it has it, and frees it, each when it is told to. */
  async visit({ rounds }) {
    const told = async step => {
      while (Atomics.load(gateWord, 0) < step) await turn()
    }
    for (let round = 0; round < rounds; round++) {
      await told(2 * round + 1)
      const waiting = bulkhead.acquire()
      Atomics.add(gateWord, 1, 1)
      const permit = await waiting
      Atomics.add(gateWord, 1, 1)
      await told(2 * round + 2)
      bulkhead.release(permit)
    }
  },

  /** Holds the place for a while, frees it and takes it again in the same moment. */
  async hog({ holdMs, limitMs }) {
    say(true)
    const end = registry.now() + limitMs
    let taken = 0
    while (Atomics.load(gateWord, 0) === 0 && registry.now() < end) {
      const permit = bulkhead.tryAcquire()
      if (permit === REFUSED) await turn()
      else {
        taken++
        for (const until = registry.now() + holdMs; registry.now() < until; );
        bulkhead.release(permit)
      }
    }
    say({ taken })
  },
}

async function work() {
  const result = await jobs[job](args)
  if (result !== undefined) say(result)
}

// No asynchronous module, since it is terminated: see test/soak/worker.mjs.
work()
