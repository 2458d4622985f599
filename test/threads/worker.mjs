/**
 * A worker of the thread tests: runs one named job on the built package, then answers or waits.
 * Jobs that start together spin on a shared gate, so that they really overlap.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry, createRegistry, REFUSED } from 'busbar'

const { handle, job, gate, index, args } = workerData
const gateWord = new Int32Array(gate)

/** Waits until the test opens the gate; every waiter leaves within a few nanoseconds. */
function waitForGate() {
  Atomics.add(gateWord, 1, 1)
  while (Atomics.load(gateWord, 0) === 0);
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

const jobs = {
  /**
   * Calls through the breakers of a group that has more keys than room. Where it may not make one
   * it goes on; a handle that it keeps it uses long after others may have had its record.
   */
  keyed({ max, keys, calls, seed }) {
    const random = randomFrom(seed + index * 7919)
    const group = attachRegistry(handle).keyed('k', { max, ...args.options })
    const mine = { made: 0, full: 0 }
    let kept
    waitForGate()
    for (let call = 0; call < calls; call++) {
      try {
        const breaker = group.breaker(`key-${Math.floor(random() * keys)}`)
        if (random() < 0.05) kept = breaker
        for (const used of kept === undefined ? [breaker] : [breaker, kept]) {
          const permit = used.tryAcquire()
          if (permit === REFUSED) continue
          const draw = random()
          if (draw < 0.7) used.recordSuccess(permit)
          else if (draw < 0.9) used.recordFailure(permit)
          else used.release(permit)
        }
        mine.made++
      } catch (error) {
        if (error.code !== 'ERR_REGISTRY_FULL') throw error
        mine.full++
      }
    }
    return mine
  },

  /** Records failures until refused; how many it made, and how many calls it took to notice. */
  failUntilRefused({ breaker: name }) {
    const breaker = attachRegistry(handle).breaker(name)
    waitForGate()
    let calls = 0
    for (;;) {
      const permit = breaker.tryAcquire()
      if (permit === REFUSED) return { calls, state: breaker.state }
      breaker.recordFailure(permit)
      calls++
    }
  },

  /** Random outcomes for a while, counted on both sides. */
  hammer({ breaker: name, outcomes, seed }) {
    const breaker = attachRegistry(handle).breaker(name)
    const random = randomFrom(seed + index * 7919)
    const mine = { admitted: 0, refused: 0, succeeded: 0, failed: 0, ignored: 0 }
    waitForGate()
    while (mine.admitted < outcomes) {
      const permit = breaker.tryAcquire()
      if (permit === REFUSED) {
        mine.refused++
        continue
      }
      mine.admitted++
      const draw = random()
      if (draw < 0.6) {
        breaker.recordSuccess(permit)
        mine.succeeded++
      } else if (draw < 0.9) {
        breaker.recordFailure(permit)
        mine.failed++
      } else {
        breaker.release(permit)
        mine.ignored++
      }
    }
    return mine
  },

  /** Trials only: `inFlight` has a count for each half-open generation, mod 1,024. */
  trials({ breaker: name, inFlight, turns, seed }) {
    const breaker = attachRegistry(handle).breaker(name)
    const counts = new Int32Array(inFlight)
    const random = randomFrom(seed + index * 104729)
    let most = 0
    let made = 0
    waitForGate()
    for (let turn = 0; turn < turns; turn++) {
      const permit = breaker.tryAcquire()
      if (permit < 2 ** 52) continue
      const generation = (permit % 2 ** 24) % 1024
      most = Math.max(most, Atomics.add(counts, generation, 1) + 1)
      made++
      const until = Math.floor(random() * 50)
      for (let spin = 0; spin < until; spin++) Atomics.load(counts, generation)
      Atomics.sub(counts, generation, 1)
      if (random() < 0.9) breaker.recordFailure(permit)
      else breaker.release(permit)
    }
    return { most, made }
  },

  /** Takes permits, says so and settles none of them. */
  take({ breaker: name, permits }) {
    const breaker = attachRegistry(handle).breaker(name)
    const taken = Array.from({ length: permits }, () => breaker.tryAcquire())
    setInterval(() => {}, 1000)
    return taken
  },

  /** A short life: a few calls, then the end of the thread, without a word. */
  visit({ breaker: name, calls }) {
    const breaker = attachRegistry(handle).breaker(name)
    for (let call = 0; call < calls; call++) breaker.recordSuccess(breaker.tryAcquire())
    return calls
  },

  /** Attaches, makes breakers and leaves one call in flight, over and over, until it is killed. */
  churn() {
    for (let turn = 0; ; turn++) {
      const registry = attachRegistry(handle)
      registry.breaker(`churn-${turn % 8}`).tryAcquire()
      registry.close()
    }
  },

  /** A loop that never yields: its event loop is blocked for good. */
  block({ breaker: name }) {
    const breaker = attachRegistry(handle).breaker(name)
    parentPort.postMessage({ result: breaker.tryAcquire() })
    for (;;) Atomics.load(gateWord, 0)
  },

  /** Calls until a word of the region reaches a value; says so in a word that the test sleeps on. */
  callUntil({ breaker: name, word, value, done, limitMs }) {
    const registry = attachRegistry(handle)
    const breaker = registry.breaker(name)
    const region = new Int32Array(handle.buffer)
    const end = performance.now() + limitMs
    while (Atomics.load(region, word) < value && performance.now() < end) {
      breaker.recordSuccess(breaker.tryAcquire())
    }
    const { keeper } = registry.snapshot()
    Atomics.store(done, 0, 1)
    Atomics.notify(done, 0)
    return keeper
  },

  /** Opens, and asks until admitted: calls refused after it was due, and how late it was. */
  askUntilAdmitted({ breaker: name, waitMs, rounds, done }) {
    const registry = attachRegistry(handle)
    const breaker = registry.breaker(name)
    const endings = Array.from({ length: rounds }, () => {
      breaker.reset()
      breaker.open()
      const due = breaker.snapshot().since + waitMs
      for (let misled = 0; ; ) {
        const before = registry.now()
        if (breaker.tryAcquire() !== REFUSED) return { misled, lateMs: registry.now() - due }
        if (before > due + 0.002) misled++
      }
    })
    Atomics.store(done, 0, 1)
    Atomics.notify(done, 0)
    return endings
  },

  /** Uses the region for a moment, then gives its slot back. */
  leave({ breaker: name }) {
    const registry = attachRegistry(handle)
    const breaker = registry.breaker(name)
    breaker.recordSuccess(breaker.tryAcquire())
    registry.close()
    return true
  },

  /** What comes of registries of its own. */
  makeOwn() {
    const kept = [true, { tickMs: 5 }].map(keeper => {
      try {
        createRegistry({ keeper }).close()
        return 'made'
      } catch (error) {
        return { code: error.code, option: error.option }
      }
    })
    const registry = createRegistry()
    for (let call = 0; call < 1000; call++) registry.breaker('b').executeSync(() => call)
    return { kept, keeper: registry.snapshot().keeper }
  },
}

parentPort.postMessage({ result: jobs[job](args) })
