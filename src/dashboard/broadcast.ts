/** One sampler for all clients, at work only while there are any. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Clients } from './clients.ts'
import type { Refusal } from './guard.ts'
import { Sampler } from './sampler.ts'
import type { Source } from './source.ts'
import { eventText } from './wire.ts'

const RETRY_AFTER = { 'Retry-After': '5' }
/** A change of state is not left until the next look: it is looked for so often. */
const GLANCE_MS = 250
/** A snapshot is made for everybody who asks within this. */
const KEEP_SNAPSHOT_MS = 100

export class Broadcast {
  readonly #source: Source
  readonly #intervalMs: number
  readonly #maxClients: number
  readonly #clients: Clients
  readonly #sampler: Sampler
  /** Glances from one look to the next. */
  readonly #glances: number
  #glance = 0
  #glancesSinceLook = 0
  #timer: NodeJS.Timeout | undefined
  #json: Buffer | undefined

  constructor(source: Source, intervalMs: number, maxClients: number) {
    this.#source = source
    this.#intervalMs = intervalMs
    this.#maxClients = maxClients
    this.#glances = Math.ceil(intervalMs / GLANCE_MS)
    this.#clients = new Clients(() => this.#stop())
    this.#sampler = new Sampler(source, intervalMs)
  }

  /** Makes the response a stream, or says why not. */
  join(request: IncomingMessage, response: ServerResponse): Refusal | undefined {
    if (this.#clients.size >= this.#maxClients) {
      const message = `${this.#maxClients} watch already; the option maxClients allows more`
      return { status: 503, message, headers: RETRY_AFTER }
    }
    try {
      this.#start()
      this.#open(request, response)
    } catch (error) {
      return unavailable(error)
    }
    return undefined
  }

  #open(request: IncomingMessage, response: ServerResponse): void {
    const text = this.#sampler.snapshot()
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      // Else some proxies keep the stream until they have enough of it.
      'X-Accel-Buffering': 'no',
    })
    if (request.method === 'HEAD') {
      response.end()
      if (this.#clients.size === 0) this.#stop()
      return
    }
    // A page left open in a browser is no reason for a process to stay.
    request.socket.unref?.()
    this.#clients.add(response, text)
  }

  /** `registry.snapshot()` and the history. `Infinity`, of which JSON knows nothing, is null. */
  json(): Buffer | Refusal {
    try {
      this.#json ??= this.#makeJson()
      return this.#json
    } catch (error) {
      return unavailable(error)
    }
  }

  #makeJson(): Buffer {
    const all = { ...this.#source.snapshot(), history: this.#source.history() }
    setTimeout(() => {
      this.#json = undefined
    }, KEEP_SNAPSHOT_MS).unref()
    return Buffer.from(JSON.stringify(all))
  }

  #start(): void {
    if (this.#timer !== undefined) return
    this.#sampler.start()
    this.#glance = 0
    this.#timer = setInterval(() => this.#tick(), this.#intervalMs / this.#glances).unref()
  }

  #tick(): void {
    this.#glance = (this.#glance + 1) % this.#glances
    this.#glancesSinceLook += 1
    // Not by `registry.on`: the dashboard must not take `origin: 'self'` from who listens for it.
    if (this.#glance === 0 || this.#sampler.hasNews()) this.#look()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    try {
      const frame = this.#sampler.nextFrame()
      const elapsedMs = (this.#glancesSinceLook * this.#intervalMs) / this.#glances
      this.#glancesSinceLook = 0
      this.#clients.send(frame, elapsedMs, () => this.#sampler.snapshot())
    } catch (error) {
      this.#stop()
      this.#clients.end(eventText('closed', { message: messageOf(error) }))
    }
  }
}

function unavailable(error: unknown): Refusal {
  return { status: 503, message: messageOf(error), headers: RETRY_AFTER }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'the registry cannot be read'
}
