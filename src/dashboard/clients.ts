/** Everybody who reads the stream. What is held for a client who does not read is bounded. */
import type { ServerResponse } from 'node:http'

/** Of a client that takes nothing for so long the connection is given up. */
const PATIENCE_MS = 15_000

interface Client {
  readonly response: ServerResponse
  /** It has not taken yet what it was given. */
  isFull: boolean
  /** It was passed over, so that the next it gets must be everything. */
  hasMissed: boolean
  waitedMs: number
}

export class Clients {
  readonly #clients = new Set<Client>()
  readonly #onLast: () => void

  constructor(onLast: () => void) {
    this.#onLast = onLast
  }

  get size(): number {
    return this.#clients.size
  }

  add(response: ServerResponse, text: string): void {
    const client = { response, isFull: false, hasMissed: false, waitedMs: 0 }
    this.#clients.add(client)
    response.on('error', () => {})
    response.once('close', () => this.#remove(client))
    response.on('drain', () => {
      client.isFull = false
      client.waitedMs = 0
    })
    client.isFull = !response.write(text)
  }

  #remove(client: Client): void {
    if (this.#clients.delete(client) && this.#clients.size === 0) this.#onLast()
  }

  /** `elapsedMs`: since the frame before. `everything`: for who has missed one; asked for once. */
  send(frame: string, elapsedMs: number, everything: () => string): void {
    for (const client of this.#clients) {
      if (client.isFull) this.#passOver(client, elapsedMs)
      else {
        client.isFull = !client.response.write(client.hasMissed ? everything() : frame)
        client.hasMissed = false
      }
    }
  }

  /** At most one event waits for a client: what it has not taken is not added to. */
  #passOver(client: Client, elapsedMs: number): void {
    client.hasMissed = true
    client.waitedMs += elapsedMs
    if (client.waitedMs >= PATIENCE_MS) client.response.destroy()
  }

  end(text: string): void {
    for (const { response } of [...this.#clients]) response.end(text)
  }
}
