/** Numbers and times in a few characters. Pure. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const tenth = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

export function count(value: number): string {
  return value < 100_000 ? whole.format(value) : short.format(value)
}

export function rate(value: number): string {
  return value < 10 ? tenth.format(value) : count(value)
}

export function percent(part: number | null): string {
  if (part === null) return '-'
  const value = part * 100
  if (value > 0 && value < 1) return '<1%'
  return `${value < 100 && value > 99 ? '>99' : whole.format(value)}%`
}

export function latency(ms: number | null): string {
  if (ms === null) return '-'
  if (ms < 10) return `${tenth.format(ms)}ms`
  if (ms < 1_000) return `${whole.format(ms)}ms`
  return ms < 100_000 ? `${tenth.format(ms / 1_000)}s` : duration(ms)
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const

/** The two largest units: 2h05m, 3m20s, 12s. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const at = UNITS.findIndex(([, size]) => seconds >= size)
  const [unit, size] = UNITS[at] ?? ['s', 1]
  const smaller = UNITS[at + 1]
  const first = `${Math.floor(seconds / size)}${unit}`
  if (at < 0 || smaller === undefined) return first
  const rest = Math.floor((seconds % size) / smaller[1])
  return `${first}${String(rest).padStart(2, '0')}${smaller[0]}`
}

/** Two columns of a terminal for these; none for marks that go with another character. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60\uffe0-\uffe6]/u
const PICTURE = /\p{Emoji_Presentation}/u
const NONE = /\p{Mn}|\p{Me}|\u200d|\ufe0f/u

export function widthOf(text: string): number {
  let width = 0
  for (const character of text) width += columnsOf(character)
  return width
}

function columnsOf(character: string): number {
  if (character <= '~') return 1
  if (NONE.test(character)) return 0
  return WIDE.test(character) || PICTURE.test(character) ? 2 : 1
}

/** `text` in exactly `width` columns: cut with an ellipsis, or filled up. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  if (width <= 0) return ''
  const own = widthOf(text)
  if (own <= width) {
    const filler = ' '.repeat(width - own)
    return align === 'left' ? text + filler : filler + text
  }
  let cut = ''
  let used = 0
  for (const character of text) {
    used += columnsOf(character)
    if (used > width - 1) break
    cut += character
  }
  return pad(`${cut}…`, width, align)
}
