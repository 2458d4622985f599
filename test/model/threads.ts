import { once } from 'node:events'
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'

const REPLY_LIMIT_MS = 10_000

/** What `attach` of worker.mjs takes; the handle is the registry's, as a user would send it. */
export interface Attachment {
  handle: unknown
  name: string
  options?: unknown
}

/** A worker thread that is told what to do synchronously; see worker.mjs. */
export class TestThread {
  readonly #worker: Worker
  readonly #port: MessagePort
  readonly #gate: Int32Array
  #asked = 0

  private constructor(worker: Worker, port: MessagePort, gate: Int32Array) {
    this.#worker = worker
    this.#port = port
    this.#gate = gate
  }

  static async start(attach?: Attachment): Promise<TestThread> {
    const { port1, port2 } = new MessageChannel()
    const gate = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    const worker = new Worker(new URL('./worker.mjs', import.meta.url), {
      workerData: { port: port2, gate, attach },
      transferList: [port2],
    })
    await once(worker, 'online')
    return new TestThread(worker, port1, gate)
  }

  /** Asks and waits, without the event loop of either side. */
  ask(request: string, payload?: unknown): unknown {
    this.begin(request, payload)
    return this.end()
  }

  begin(request: string, payload?: unknown): void {
    this.#port.postMessage({ request, payload })
    this.#asked += 1
    Atomics.store(this.#gate, 0, this.#asked)
    Atomics.notify(this.#gate, 0)
  }

  end(): unknown {
    // A late notify of the reply before may wake us for nothing, so look again each time.
    while (Atomics.load(this.#gate, 1) !== this.#asked) {
      const waited = Atomics.wait(this.#gate, 1, this.#asked - 1, REPLY_LIMIT_MS)
      if (waited === 'timed-out') throw new Error('the thread does not answer')
    }
    const reply = receiveMessageOnPort(this.#port)?.message
    if (reply === undefined) throw new Error('the thread answered nothing')
    if (reply.error !== undefined) throw new Error(`in the thread: ${reply.error}`)
    return reply.value
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
    this.#port.close()
  }
}

/** Has all threads begin at once: each is on its way to the line before the line opens. */
export function together(
  threads: readonly TestThread[],
  request: string,
  payloadOf: (thread: number) => object,
): unknown[] {
  const line = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  for (const [index, thread] of threads.entries()) {
    thread.begin(request, { ...payloadOf(index), line })
  }
  Atomics.store(line, 0, 1)
  Atomics.notify(line, 0)
  return threads.map(thread => thread.end())
}
