/** One circuit in every thread: what one thread's calls decide holds for all, and is told to all. */
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { getRegistry } from '../../src/index.ts'

interface Message {
  readonly event?: string
  readonly answer?: unknown
}

class Thread {
  readonly #worker = new Worker(new URL('worker.mjs', import.meta.url))
  readonly #messages: Message[] = []
  #wake = (): void => {}

  constructor() {
    this.#worker.on('message', (message: Message) => {
      this.#messages.push(message)
      this.#wake()
    })
    onTestFinished(async () => {
      await this.#worker.terminate()
    })
  }

  post(outcome: string): void {
    this.#worker.postMessage(outcome)
  }

  async fire(outcome: string): Promise<Message> {
    this.post(outcome)
    return this.#next(message => 'answer' in message)
  }

  async hear(event: string): Promise<void> {
    await this.#next(message => message.event === event)
  }

  /** Takes the first of such messages, whenever it comes. */
  async #next(isWanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const index = this.#messages.findIndex(isWanted)
      const [message] = index < 0 ? [] : this.#messages.splice(index, 1)
      if (message !== undefined) return message
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  get heard(): Message[] {
    return this.#messages
  }
}

it("one thread's failures open, and one thread's success closes, in all of them", async () => {
  const registry = getRegistry({ keeper: false, maxBreakers: 4, maxThreads: 8, maxControls: 4 })
  onTestFinished(() => registry.close())
  const [failing, second, third] = [new Thread(), new Thread(), new Thread()] as const
  const all = [failing, second, third]
  await Promise.all(all.map(thread => thread.hear('ready')))

  for (let call = 1; call <= 3; call++) {
    expect(await failing.fire('fail')).toMatchObject({ answer: 'down', calls: call })
  }
  expect(await second.fire('fine')).toEqual({
    answer: 'EOPENBREAKER',
    calls: 0,
    opened: true,
    closed: false,
    fires: 1,
  })
  await Promise.all(all.map(thread => thread.hear('open')))

  // As if the wait were over soon. Nobody calls meanwhile: each thread's own timer tells it.
  registry.get('callService')?.forceOpen({ ttlMs: 1 })
  await Promise.all(all.map(thread => thread.hear('halfOpen')))
  expect(await third.fire('fine')).toMatchObject({ answer: 'fine', closed: true })
  await Promise.all(all.map(thread => thread.hear('close')))
  expect(registry.get('callService')?.snapshot().totals).toMatchObject({ admitted: 4, failed: 3 })

  second.post('hang')
  await expect.poll(() => registry.bulkhead('callService').snapshot().inFlight).toBe(1)
  expect(await failing.fire('fine')).toMatchObject({ answer: 'ESEMLOCKED', calls: 3 })
  second.post('finish')
  await expect.poll(() => registry.bulkhead('callService').snapshot().inFlight).toBe(0)
  expect(await failing.fire('fine')).toMatchObject({ answer: 'fine', calls: 4 })
  expect(all.map(thread => thread.heard.filter(({ event }) => event !== undefined))).toEqual([
    [],
    [],
    [],
  ])
})
