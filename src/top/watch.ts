/** `busbar top`: one table, or a screen that follows the stream. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Complaint } from './arguments.ts'
import { Board } from './board.ts'
import { eventsOf, type StreamEvent } from './events.ts'
import { type Key, Screen } from './screen.ts'
import { render } from './table.ts'

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 5_000

/** Prints one table. Rates are those of an interval, so it takes the first frame too. */
export async function printOnce(url: URL, isColoured: boolean): Promise<void> {
  const board = new Board()
  for await (const { event, data } of eventsOf(url)) {
    if (event === 'closed') throw new Complaint(`${url.href} has ended: ${data.message}`, 1)
    if (event === 'snapshot') board.takeSnapshot(data)
    else {
      board.takeFrame(data)
      const lines = render(board, { size: undefined, isColoured, offset: 0, link: '' })
      process.stdout.write(`${lines.join('\n')}\n`)
      return
    }
  }
  throw new Complaint(`${url.href} ended its stream`, 1)
}

/** Follows the stream until the user quits. Throws only while nothing has been seen yet. */
export async function watch(url: URL, isColoured: boolean): Promise<void> {
  const view = new View(new Screen(process.stdout, process.stdin), url, isColoured)
  const { signal } = view.ending
  let waitMs = FIRST_WAIT_MS
  while (!signal.aborted) {
    try {
      for await (const event of eventsOf(url, signal)) {
        if (event.event === 'closed') throw new Complaint(event.data.message, 1)
        waitMs = FIRST_WAIT_MS
        view.take(event)
      }
      view.lost('the stream ended')
    } catch (error) {
      if (signal.aborted) break
      if (!view.isOpen) throw error
      view.lost(error instanceof Complaint ? error.message : 'the stream broke')
    }
    await sleep(waitMs, undefined, { signal }).catch(() => {})
    waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)
  }
  view.close()
}

type News = Exclude<StreamEvent, { readonly event: 'closed' }>

class View {
  readonly ending = new AbortController()
  readonly #screen: Screen
  readonly #board = new Board()
  readonly #host: string
  readonly #isColoured: boolean
  #offset = 0
  #link = ''
  isOpen = false

  constructor(screen: Screen, url: URL, isColoured: boolean) {
    this.#screen = screen
    this.#host = `${url.host}${url.pathname}`
    this.#isColoured = isColoured
  }

  take({ event, data }: News): void {
    if (event === 'snapshot') this.#board.takeSnapshot(data)
    else this.#board.takeFrame(data)
    this.#link = this.#host
    if (!this.isOpen) {
      this.isOpen = true
      this.#screen.open(
        key => this.#press(key),
        () => this.#draw(),
      )
    }
    this.#draw()
  }

  lost(why: string): void {
    this.#link = `${this.#host} RECONNECTING: ${why}`
    this.#draw()
  }

  close(): void {
    this.#screen.close()
  }

  #press(key: Key): void {
    if (key === 'quit') {
      this.ending.abort()
      return
    }
    const all = this.#board.sorted().length
    const page = Math.max(1, this.#screen.size.rows - 4)
    const steps = { up: -1, down: 1, 'page-up': -page, 'page-down': page, home: -all, end: all }
    this.#offset = Math.max(0, Math.min(all - page, this.#offset + steps[key]))
    this.#draw()
  }

  #draw(): void {
    const { size } = this.#screen
    const look = { size, isColoured: this.#isColoured, offset: this.#offset, link: this.#link }
    this.#screen.draw(render(this.#board, look))
  }
}
