/** The terminal: a screen of its own, drawn over and over, and given back as it was. */
import type { Size } from './table.ts'

const ESCAPE = '\x1b'
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l'
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const CLEAR_LINE = '\x1b[K'
const CLEAR_BELOW = '\x1b[J'

const FALLBACK: Size = { columns: 80, rows: 24 }

export type Key = 'quit' | 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end'

const KEYS: Readonly<Record<string, Key>> = {
  q: 'quit',
  Q: 'quit',
  '\x03': 'quit',
  '\x04': 'quit',
  k: 'up',
  j: 'down',
  ' ': 'page-down',
  '\x1b[A': 'up',
  '\x1b[B': 'down',
  '\x1bOA': 'up',
  '\x1bOB': 'down',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b[H': 'home',
  '\x1b[F': 'end',
  '\x1bOH': 'home',
  '\x1bOF': 'end',
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export class Screen {
  readonly #output: NodeJS.WriteStream
  readonly #input: NodeJS.ReadStream
  #isOpen = false

  constructor(output: NodeJS.WriteStream, input: NodeJS.ReadStream) {
    this.#output = output
    this.#input = input
  }

  get size(): Size {
    const { columns, rows } = this.#output
    return { columns: columns || FALLBACK.columns, rows: rows || FALLBACK.rows }
  }

  open(onKey: (key: Key) => void, onResize: () => void): void {
    this.#isOpen = true
    this.#output.write(ENTER)
    this.#output.on('resize', onResize)
    // However the process ends, short of being killed, the terminal is to be usable after it.
    process.once('exit', () => this.close())
    for (const signal of SIGNALS) process.once(signal, () => onKey('quit'))
    if (!this.#input.isTTY) return
    this.#input.setRawMode(true)
    this.#input.resume()
    this.#input.on('data', bytes => {
      for (const text of keysOf(bytes.toString())) {
        const key = KEYS[text]
        if (key !== undefined) onKey(key)
      }
    })
  }

  draw(lines: readonly string[]): void {
    if (!this.#isOpen) return
    const text = lines.map(line => line + CLEAR_LINE).join('\r\n')
    this.#output.write(`${HOME}${text}${CLEAR_BELOW}`)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    if (this.#input.isTTY) this.#input.setRawMode(false)
    this.#input.pause()
    this.#output.write(LEAVE)
  }
}

/** Keys that were typed together come together: escape sequences and characters. */
function keysOf(text: string): string[] {
  const [plain = '', ...rest] = text.split(ESCAPE)
  const sequences = rest.flatMap(part => {
    const [sequence = ''] = part.match(/^[[O][\d;]*[~A-Z]/) ?? []
    return [ESCAPE + sequence, ...part.slice(sequence.length)]
  })
  return [...plain, ...sequences]
}
