/** Runs batches of short scripts on several breakers in real threads and gathers the histories. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { type CircuitBreaker, createRegistry, type Registry } from '../../src/index.ts'
import type { Random } from '../model/random.ts'
import type { Options } from '../model/reference-types.ts'
import { type Call, CODES, type Code, type History, STATES } from './model.ts'

export interface Workload {
  readonly options: Options
  readonly workers: number
  /** Calls of each worker on each breaker. */
  readonly length: number
  readonly weights: Partial<Record<Code, number>>
  /** Begins open with its wait over, so that the first ask begins the trials. */
  readonly opened: boolean
  /** Slots of the region; the threads beyond them share one. */
  readonly maxThreads: number
}

const [BATCH, STOP, STAMP, FINISHED, PLACES] = [0, 1, 2, 3, 4]
const BREAKERS = 200
const LIMIT_MS = 10_000

function shared(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes)
}

export class Crew {
  readonly #workload: Workload
  readonly #registry: Registry
  readonly #breakers: CircuitBreaker[]
  readonly #workers: Worker[]
  readonly #control: Int32Array
  readonly #script: Int32Array
  readonly #results: Float64Array

  constructor(workload: Workload) {
    const { workers, length, maxThreads, options } = workload
    this.#workload = workload
    this.#registry = createRegistry({ clock: 'manual', maxBreakers: BREAKERS, maxThreads })
    this.#registry.advance(1000)
    this.#breakers = Array.from({ length: BREAKERS }, (_, index) =>
      this.#registry.breaker(`b${index}`, options),
    )
    const calls = BREAKERS * workers * length
    this.#control = new Int32Array(shared(4 * (PLACES + workers)))
    this.#script = new Int32Array(shared(calls * 8))
    this.#results = new Float64Array(shared(calls * 24))
    this.#workers = Array.from({ length: workers }, (_, index) => this.#start(index))
  }

  #start(index: number): Worker {
    const { workers, length } = this.#workload
    const workerData = {
      handle: this.#registry.handle,
      names: this.#breakers.map(({ name }) => name),
      codes: CODES,
      states: STATES,
      control: this.#control,
      script: this.#script,
      results: this.#results,
      index,
      workers,
      length,
    }
    return new Worker(new URL('worker.mjs', import.meta.url), { workerData })
  }

  /** Resolves when every thread runs. */
  async ready(): Promise<void> {
    await Promise.all(this.#workers.map(worker => once(worker, 'online')))
  }

  async stop(): Promise<void> {
    Atomics.store(this.#control, STOP, 1)
    this.#go()
    await Promise.all(this.#workers.map(worker => worker.terminate()))
    this.#registry.close()
  }

  #go(): void {
    Atomics.add(this.#control, BATCH, 1)
    Atomics.notify(this.#control, BATCH)
  }

  /** One batch: a history for each breaker. */
  run(random: Random): History[] {
    const starts = this.#breakers.map(breaker => this.#prepare(breaker))
    for (let call = 0; call < this.#script.length; call += 2) this.#write(random, call)
    Atomics.store(this.#control, STAMP, 0)
    this.#control.fill(0, PLACES)
    Atomics.store(this.#control, FINISHED, 0)
    this.#go()
    const deadline = performance.now() + LIMIT_MS
    for (;;) {
      const finished = Atomics.load(this.#control, FINISHED)
      if (finished === this.#workload.workers) break
      if (performance.now() > deadline) throw new Error('the threads do not come to an end')
      Atomics.wait(this.#control, FINISHED, finished, 100)
    }
    return this.#breakers.map((breaker, which) => {
      const start = starts[which]
      if (start === undefined) throw new RangeError('no such breaker')
      return this.#history(breaker, which, start)
    })
  }

  #prepare(breaker: CircuitBreaker) {
    breaker.reset()
    if (this.#workload.opened) breaker.open()
    return breaker.snapshot()
  }

  /** One line of the script: a call, and which earlier one of this thread gave its permit. */
  #write(random: Random, at: number): void {
    const { length, weights } = this.#workload
    const step = (at / 2) % length
    const asks = Array.from({ length: step }, (_, back) => at - 2 * (step - back)).filter(
      earlier => CODES[this.#script[earlier] ?? 0] === 'tryAcquire',
    )
    const code = random.weighted(weights as Record<Code, number>)
    const settles = code === 'recordSuccess' || code === 'recordFailure' || code === 'release'
    const given = settles && asks.length > 0 ? random.pick(asks) : undefined
    this.#script[at] = CODES.indexOf(settles && given === undefined ? 'tryAcquire' : code)
    this.#script[at + 1] = given === undefined ? -1 : (given / 2) % length
  }

  #history(
    breaker: CircuitBreaker,
    which: number,
    before: ReturnType<CircuitBreaker['snapshot']>,
  ): History {
    const { workers, length, options, opened } = this.#workload
    const calls: Call[] = []
    const indexOf = new Map<number, number>()
    for (let worker = 0; worker < workers; worker++) {
      for (let step = 0; step < length; step++) {
        const at = (which * workers + worker) * length + step
        const [invoked = -1, returned = -1, result = 0] = this.#results.subarray(at * 3, at * 3 + 3)
        if (invoked < 0) continue
        const from = this.#script[at * 2 + 1] ?? -1
        const code = CODES[this.#script[at * 2] ?? 0] ?? 'state'
        const permitOf = from >= 0 ? indexOf.get(at - step + from) : undefined
        indexOf.set(at, calls.length)
        const call = { worker, code, invoked, returned, result }
        calls.push(permitOf === undefined ? call : { ...call, permitOf })
      }
    }
    const { state, generation, window, totals } = breaker.snapshot()
    const since = (total: 'admitted' | 'refused' | 'succeeded' | 'failed' | 'ignored' | 'late') =>
      totals[total] - before.totals[total]
    return {
      options,
      generation: before.generation,
      now: 1000,
      opened,
      calls,
      end: {
        state,
        generation,
        calls: window.calls,
        failures: window.failures,
        admitted: since('admitted'),
        refused: since('refused'),
        settled: since('succeeded') + since('failed') + since('ignored') + since('late'),
      },
    }
  }
}

/** A history as a person reads it, in the order of invocation. */
export function describeHistory({ calls, end, generation, opened }: History): string {
  const lines = calls
    .map((call, index) => ({ ...call, index }))
    .sort((a, b) => a.invoked - b.invoked)
    .map(({ worker, code, permitOf, invoked, returned, result, index }) => {
      const of = permitOf === undefined ? '' : ` the permit of #${permitOf}`
      return `  #${index} [${invoked}, ${returned}] thread ${worker}: ${code}${of} -> ${result}`
    })
  const start = `starts ${opened ? 'open, its wait over' : 'closed'}, generation ${generation}`
  return [start, ...lines, `  ends ${JSON.stringify(end)}`].join('\n')
}
