/** Four seats, in each of them one worker at a time: started, ordered about, killed, started again. */
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Random } from '../model/random.ts'
import { KINDS, type Ledger, ORDERS } from './ledger.ts'

export interface Deaths {
  started: number
  terminated: number
  exited: number
  crashed: number
  stalled: number
  blocked: number
  left: number
}

export class Seats {
  readonly deaths: Deaths = {
    started: 0,
    terminated: 0,
    exited: 0,
    crashed: 0,
    stalled: 0,
    blocked: 0,
    left: 0,
  }
  readonly #orders: Int32Array<SharedArrayBuffer>
  readonly #workers: (Worker | undefined)[]
  readonly #running: Promise<void>[]
  readonly #random: Random
  readonly #data: object
  #stopping = false

  constructor(seats: number, random: Random, ledger: Ledger, data: object) {
    this.#random = random
    this.#orders = new Int32Array(new SharedArrayBuffer(4 * seats))
    this.#data = {
      ...data,
      counts: ledger.counts,
      orders: this.#orders,
      kinds: KINDS.length,
      codes: ORDERS,
    }
    this.#workers = Array.from({ length: seats }, () => undefined)
    this.#running = Array.from({ length: seats }, (_, seat) => this.#keepTaken(seat))
  }

  /** How many workers died, or may have died, in the midst of a call. */
  get kills(): number {
    return this.deaths.terminated
  }

  async #keepTaken(seat: number): Promise<void> {
    while (!this.#stopping) {
      const worker = this.#start(seat)
      this.#workers[seat] = worker
      // Not `once`, which would reject with the worker's own error.
      await new Promise(resolve => worker.on('exit', resolve))
      this.#workers[seat] = undefined
      await delay(this.#random.between(0, 50))
    }
  }

  #start(seat: number): Worker {
    this.deaths.started++
    Atomics.store(this.#orders, seat, ORDERS.none)
    const [seed, blocks] = [this.#random.between(1, 2 ** 31), this.#random.chance(0.5)]
    const workerData = { ...this.#data, seat, seed, blocks }
    // Each would warn that a group is full, which it is on purpose. Faults are told otherwise.
    const options = { workerData, execArgv: ['--no-warnings'] }
    const worker = new Worker(new URL('worker.mjs', import.meta.url), options)
    worker.on('error', error => {
      if (error.message !== 'the soak asked for it') throw error
    })
    return worker
  }

  /** Something bad for one of the workers. */
  disturb(): void {
    const seat = this.#random.between(0, this.#workers.length - 1)
    const worker = this.#workers[seat]
    if (worker === undefined || Atomics.load(this.#orders, seat) !== ORDERS.none) return
    const order = this.#random.weighted({
      terminate: 4,
      stall: 1,
      exit: 1,
      crash: 1,
      leave: 2,
      block: 2,
    })
    if (order === 'terminate') {
      this.deaths.terminated++
      worker.terminate()
      return
    }
    const COUNTED = {
      stall: 'stalled',
      exit: 'exited',
      crash: 'crashed',
      leave: 'left',
      block: 'blocked',
    } as const
    this.deaths[COUNTED[order]]++
    Atomics.store(this.#orders, seat, ORDERS[order])
  }

  /** Every worker settles what it has in hand and ends. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (let seat = 0; seat < this.#workers.length; seat++) {
      Atomics.store(this.#orders, seat, ORDERS.stop)
    }
    await Promise.all(this.#running)
  }
}
