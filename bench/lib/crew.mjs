/**
 * A crew: threads that are started once and do one job after another, all at the same time.
 *
 *   const crew = openCrew(4)
 *   const reports = await crew.run({ threads: 2, warmMs: 10, measureMs: 100, assign })
 *   await crew.close()
 *
 * `assign(index)` names the job of each thread: `{ module, job, input }`. A module in bench/jobs/
 * exports `jobs`, an object of functions `({ index, threads, input }) => Run`.
 *
 * One run: each thread prepares its job, warms it up and waits at the gate. When all have come, the
 * gate is opened for all of them with one moment at which to stop, the same for all. From then on
 * each thread looks at the clock once a batch. The calling thread is not one of them: it sleeps in
 * its event loop until they report. Every wait has a limit, and a thread that dies fails the run.
 *
 * @typedef {object} Run    a job that is ready to go
 * @property {(times: number) => number} batch   does so many operations; what it returns is added
 *   up, so that none of them is optimised away and the caller can check the sum
 * @property {() => void} [begin]        called after the warm-up, before the gate
 * @property {() => unknown} [finish]    called at the end; what it returns or resolves to is `result`
 *
 * @typedef {object} Assignment
 * @property {string} module      address of a module in bench/jobs/, see `jobModule`
 * @property {string} job
 * @property {unknown} [input]    anything that can be cloned
 *
 * @typedef {object} Report       what one thread did
 * @property {number} operations  within the measured time
 * @property {number} startedNs   before the first of its batches, after the gate was opened
 * @property {number} endedNs     after the last of them, from the same zero
 * @property {number} calls       operations with those of the warm-up
 * @property {number} sum         of what the batches returned, with those of the warm-up
 * @property {unknown} result
 */
import { Worker } from 'node:worker_threads'

/** For work that takes milliseconds, on a machine that may be busy. */
const LIMIT_MS = 30_000
const NS_PER_MS = 1e6

/** @param {string} name */
export function jobModule(name) {
  return new URL(`../jobs/${name}.mjs`, import.meta.url).href
}

/**
 * @param {number} threads
 * @param {{ limitMs?: number }} [options]
 */
export function openCrew(threads, { limitMs = LIMIT_MS } = {}) {
  const gate = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const stopAt = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
  const workerData = { gate, stopAt, limitMs }
  const members = Array.from({ length: threads }, (_, index) => new Member(index, workerData))
  return new Crew(members, gate, stopAt, limitMs)
}

class Crew {
  #members
  #gate
  #stopAt
  #limitMs
  #runs = 0

  constructor(members, gate, stopAt, limitMs) {
    this.#members = members
    this.#gate = gate
    this.#stopAt = stopAt
    this.#limitMs = limitMs
  }

  get threads() {
    return this.#members.length
  }

  /**
   * @param {object} order
   * @param {number} order.threads      the first so many of the crew; the others sleep on
   * @param {number} order.warmMs
   * @param {number} order.measureMs
   * @param {(index: number) => Assignment} order.assign
   * @returns {Promise<Report[]>}
   */
  async run({ threads, warmMs, measureMs, assign }) {
    if (!(threads >= 1 && threads <= this.#members.length)) {
      throw new RangeError(`${threads} of a crew of ${this.#members.length} threads`)
    }
    const number = ++this.#runs
    const members = this.#members.slice(0, threads)
    try {
      await Promise.all(
        members.map(member => {
          const task = { ...assign(member.index), threads, warmMs, number }
          return member.ask(task, this.#limitMs + warmMs)
        }),
      )
      const reports = members.map(member => member.answer(this.#limitMs + measureMs))
      this.#open(number, measureMs)
      return await Promise.all(reports)
    } catch (error) {
      await this.close()
      throw error
    }
  }

  #open(number, measureMs) {
    const now = process.hrtime.bigint()
    Atomics.store(this.#stopAt, 0, now + BigInt(Math.round(measureMs * NS_PER_MS)))
    Atomics.store(this.#gate, 0, number)
    Atomics.notify(this.#gate, 0)
  }

  async close() {
    await Promise.all(this.#members.map(member => member.end()))
  }
}

/** One thread as the caller sees it: one question at a time, one answer or one failure. */
class Member {
  index
  #worker
  #job = ''
  #failure
  #waiting

  constructor(index, workerData) {
    this.index = index
    this.#worker = new Worker(new URL('./crew-worker.mjs', import.meta.url), {
      workerData: { ...workerData, index },
    })
    this.#worker.on('message', message => this.#settle(waiting => waiting.resolve(message)))
    this.#worker.on('messageerror', error => this.#fail(error.message, error))
    this.#worker.on('error', error => this.#fail(`died: ${error?.message ?? error}`, error))
    this.#worker.on('exit', code => this.#fail(`ended with exit code ${code}`))
  }

  ask(task, limitMs) {
    this.#job = task.job
    const answer = this.answer(limitMs)
    if (this.#failure === undefined) this.#worker.postMessage(task)
    return answer
  }

  answer(limitMs) {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure)
      const timer = setTimeout(() => this.#fail(`gave no answer in ${limitMs} ms`), limitMs)
      this.#waiting = { resolve, reject, timer }
    })
  }

  /** Also gives up whatever is waited for, so that no timer keeps the process alive. */
  async end() {
    this.#fail('was told to end')
    await this.#worker.terminate()
  }

  #fail(what, cause) {
    const text = `thread ${this.index} of the crew ${what}, with job "${this.#job}"`
    this.#failure ??= new Error(text, { cause })
    this.#settle(waiting => waiting.reject(this.#failure))
  }

  #settle(how) {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    clearTimeout(waiting.timer)
    how(waiting)
  }
}
