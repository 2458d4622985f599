/** A worker of the host ejection tests: runs one job on the built package, then answers. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const { handle, job, gate, index, args } = workerData
const gateWord = new Int32Array(gate)

/** Waits until the test opens the gate; every waiter leaves within a few nanoseconds. */
function waitForGate() {
  Atomics.add(gateWord, 1, 1)
  while (Atomics.load(gateWord, 0) === 0);
}

const jobs = {
  /** Each round: fails hosts, from one of its own on, until `failures` of each; who is ejected. */
  failRounds({ group: name, hosts, failures, rounds, barrier }) {
    const group = attachRegistry(handle).hosts(name)
    const counts = new Int32Array(barrier)
    const ejected = []
    waitForGate()
    for (let round = 0; round < rounds; round++) {
      for (let n = 0; n < failures * hosts.length; n++) {
        group.record(hosts[(n + index * 5) % hosts.length], 'failure')
      }
      // All have failed; the main thread moves the time on once all have looked.
      arrive(counts, 2 * round)
      ejected.push(hosts.filter(host => group.isEjected(host)))
      arrive(counts, 2 * round + 1)
      while (Atomics.load(counts, 0) <= round);
    }
    return ejected
  },

  /** Random outcomes of random hosts for a while, counted. */
  hammer({ group: name, hosts, calls, seed }) {
    const group = attachRegistry(handle).hosts(name)
    const random = randomFrom(seed + index * 7919)
    const mine = Object.fromEntries(hosts.map(host => [host, { succeeded: 0, failed: 0 }]))
    waitForGate()
    for (let call = 0; call < calls; call++) {
      const host = hosts[Math.floor(random() * hosts.length)]
      const isFailure = random() < 0.5
      group.record(host, isFailure ? 'failure' : 'success')
      mine[host][isFailure ? 'failed' : 'succeeded']++
    }
    return mine
  },

  /** The same without an end: for the test to put an end to. */
  hammerOn({ group: name, hosts, seed }) {
    const group = attachRegistry(handle).hosts(name)
    const random = randomFrom(seed + index * 7919)
    waitForGate()
    for (;;) group.record(hosts[Math.floor(random() * hosts.length)], 'failure')
  },
}

/** One more has come to that point; goes on when all `THREADS` have. */
function arrive(counts, point) {
  Atomics.add(counts, 1 + point, 1)
  while (Atomics.load(counts, 1 + point) < args.threads);
}

/** xorshift32: the seed comes from the test. */
function randomFrom(seed) {
  let x = seed | 1
  return () => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return (x >>> 0) / 2 ** 32
  }
}

parentPort.postMessage({ result: jobs[job](args) })
