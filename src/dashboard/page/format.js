/** Numbers and times as people read them. Pure. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const tenth = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const hundredth = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })

/** A dash with the same meaning everywhere: there is nothing to say. */
export const NOTHING = '–'

/** 1,234 or 1.23M: never more than seven characters. */
export function count(value) {
  return value < 1_000_000 ? whole.format(value) : short.format(value)
}

export function plural(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** Calls a second. */
export function rate(value) {
  if (value === 0) return '0'
  if (value < 1) return hundredth.format(value)
  if (value < 10) return tenth.format(value)
  return count(value)
}

/** A part of 1 as per cent. Never "100 %" or "0 %" of what is not quite so. */
export function percent(part) {
  const value = part * 100
  if (value > 0 && value < 1) return '< 1 %'
  if (value < 100 && value > 99) return '> 99 %'
  return `${whole.format(value)} %`
}

/** How long something takes, to two or three digits: 0.4, 12, 1.3 s. */
export function latency(ms) {
  if (ms < 10) return `${tenth.format(ms)} ms`
  if (ms < 1_000) return `${whole.format(ms)} ms`
  if (ms < 100_000) return `${tenth.format(ms / 1_000)} s`
  return duration(ms)
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
]

/** How long something has been so: the two largest units that it has. */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const first = UNITS.findIndex(([, size]) => seconds >= size)
  if (first === -1) return '0 s'
  const [unit, size] = UNITS[first]
  const [smaller, part] = UNITS[first + 1] ?? ['', 0]
  const rest = part > 0 ? Math.floor((seconds % size) / part) : 0
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${smaller}` : ''}`
}

/** Until something is due: rounded up, so that it does not say 0 before it is. */
export function countdown(ms) {
  return duration(Math.ceil(Math.max(0, ms) / 1_000) * 1_000)
}
