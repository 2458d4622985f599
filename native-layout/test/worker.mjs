/**
 * A JavaScript worker beside native threads: runs one named job on the built package, answers and
 * ends. It counts as crews.c does.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry, REFUSED } from 'busbar'
import { attachRegion } from '../../dist/memory/region.js'
import { Core } from '../../dist/protocol/breaker.js'
import { cellOf, Directory } from '../../dist/protocol/directory.js'
import { threadState } from '../../dist/threads/identity.js'
import { join } from '../../dist/threads/membership.js'

const { handle, job, gate, args } = workerData
const gateWord = new Int32Array(gate)
const FIRST_TRIAL_PERMIT = 2 ** 52

function waitForGate() {
  Atomics.add(gateWord, 1, 1)
  while (Atomics.load(gateWord, 0) === 0);
}

/** xorshift32, in [0, 1): the seed comes from the test. */
function randomFrom(seed) {
  let x = seed | 1
  return () => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return (x >>> 0) / 2 ** 32
  }
}

const KEYS = ['admitted', 'refused', 'succeeded', 'failed', 'ignored', 'late', 'trials', 'gone']
const NOTHING = Object.fromEntries(KEYS.map(key => [key, 0]))

/** Unlike a breaker, its core says whether an outcome was late. */
function coreOf(name) {
  const region = attachRegion(handle)
  const { slot } = join(region)
  const { id } = threadState()
  return new Core(cellOf(region, new Directory(region, id).find(name), id), slot)
}

/** What every call of `mixed` is said to have taken; crews.c has another. */
const DURATION_MS = 0.5

/** Of a release the core does not say it either. */
function settle(core, permit, draw, failing, counts) {
  if (draw < 0.1) {
    core.release(permit)
    counts.released++
  } else if (draw < 0.1 + failing) {
    if (core.recordFailure(permit, DURATION_MS)) counts.failed++
    else counts.late++
  } else if (core.recordSuccess(permit, DURATION_MS)) counts.succeeded++
  else counts.late++
}

const jobs = {
  /** Random outcomes for a while. */
  mixed({ breaker: name, milliseconds, failing, seed }) {
    const core = coreOf(name)
    const random = randomFrom(seed)
    const counts = { ...NOTHING, released: 0 }
    waitForGate()
    const end = performance.now() + milliseconds
    while (performance.now() < end) {
      const permit = core.tryAcquire()
      if (permit === REFUSED) {
        counts.refused++
      } else {
        counts.admitted++
        settle(core, permit, random(), failing, counts)
      }
    }
    return counts
  },

  /** Asks until refused, without an outcome. */
  askUntilRefused({ breaker: name, milliseconds }) {
    const breaker = attachRegistry(handle).breaker(name)
    const counts = { ...NOTHING }
    waitForGate()
    const end = performance.now() + milliseconds
    while (performance.now() < end && counts.refused === 0) {
      const permit = breaker.tryAcquire()
      if (permit === REFUSED) counts.refused++
      else breaker.release(permit)
    }
    return counts
  },

  /** Takes every trial there is, and keeps it. */
  keepTrials({ breaker: name, milliseconds }) {
    const registry = attachRegistry(handle)
    const breaker = registry.breaker(name)
    const counts = { ...NOTHING }
    waitForGate()
    const end = performance.now() + milliseconds
    while (performance.now() < end) {
      const permit = breaker.tryAcquire()
      if (permit === REFUSED) counts.refused++
      else counts.admitted++
      if (permit >= FIRST_TRIAL_PERMIT) counts.trials++
    }
    registry.close()
    return counts
  },

  /** A thread that Node.js started, with a slot, which then ends. */
  visit({ breaker: name }) {
    const breaker = attachRegistry(handle).breaker(name)
    breaker.recordSuccess(breaker.tryAcquire())
    return true
  },
}

parentPort.postMessage({ result: jobs[job](args) })
