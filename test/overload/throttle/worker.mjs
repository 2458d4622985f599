/** A worker of the throttle's tests: runs one job on the built package, then answers or waits. */
import { parentPort, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'
import { attachRegion } from '../../../dist/memory/region.js'
import { ControlDirectory, controlOf } from '../../../dist/protocol/control.js'
import { claimSlot } from '../../../dist/protocol/slots.js'
import { ThrottleCore } from '../../../dist/protocol/throttle.js'

const { handle, job, index, args } = workerData

/** Words that the threads of a simulation share: see `simulate`. */
const ARRIVED = 0
const ROUND = 1
const TOKENS = 2
const TICK_MS = 50

/** The core of the throttle of that name, with decisions by that seed. */
function coreOf(region, name, seed) {
  const id = { thread: index + 100, parent: 0 }
  const slot = claimSlot(region.memory, region.shape, id)
  const entry = new ControlDirectory(region, id).entriesAfter(0).find(one => one.name === name)
  return new ThrottleCore(controlOf(region, entry, id), slot, seed)
}

/** Waits for all threads; the last one does what is to be done once. */
function meet(words, threads, once) {
  const round = Atomics.load(words, ROUND)
  if (Atomics.add(words, ARRIVED, 1) === threads - 1) {
    once()
    Atomics.store(words, ARRIVED, 0)
    Atomics.add(words, ROUND, 1)
    Atomics.notify(words, ROUND)
  } else while (Atomics.load(words, ROUND) === round) Atomics.wait(words, ROUND, round)
}

/**
 * A backend that takes so many calls of each 50 ms and rejects the rest, and this thread's part of
 * the calls that are offered. What came of them, a phase each.
 */
function simulate({ name, seed, threads, words, phases }) {
  const region = attachRegion(handle)
  const core = coreOf(region, name, seed + index * 7919)
  return phases.map(({ ms, capacity, offered }) => {
    const counts = { offered: 0, sent: 0, accepted: 0 }
    for (let tick = 0; tick < ms / TICK_MS; tick++) {
      meet(words, threads, () => {
        region.clock.advance(TICK_MS)
        Atomics.store(words, TOKENS, capacity)
      })
      for (let call = 0; call < offered / threads; call++) oneCall(core, words, counts)
    }
    return counts
  })
}

function oneCall(core, words, counts) {
  counts.offered++
  const permit = core.tryAcquire()
  if (permit < 0) return
  counts.sent++
  if (Atomics.sub(words, TOKENS, 1) > 0) {
    counts.accepted++
    core.recordSuccess(permit)
  } else core.recordFailure(permit)
}

/** Takes permits and waits for its death. */
function hold({ permits }) {
  const throttle = attachRegistry(handle).throttle('t')
  for (let permit = 0; permit < permits; permit++) throttle.tryAcquire()
  parentPort.postMessage({ result: permits })
  setInterval(() => {}, 1000)
}

/** So many rejected calls; the probability as this thread then sees it. */
function reject({ calls }) {
  const registry = attachRegistry(handle)
  const throttle = registry.throttle('t')
  for (let call = 0; call < calls; call++) throttle.recordRejected(throttle.tryAcquire())
  return throttle.rejectionProbability
}

const jobs = { simulate, hold, reject }
const result = jobs[job](args)
if (result !== undefined) parentPort.postMessage({ result })
