/** The header, the defaults and presence. */
import { memoryBytesOf } from '../memory/kernel-memory.ts'
import { ahead, field, HEADER, LINE, MAGIC, type Parts } from './format.ts'
import { readOptions } from './format-breaker.ts'
import { CERTAIN, hex, ms, type Say } from './report.ts'

/** Of the TICK word. */
const LAST_TICK = 2 ** 30
/** The longest lease of the exporter. */
const DAY = 86_400_000_000
/** Beats are counted in these, times in microseconds. */
const TENTH_OF_A_SECOND = 100_000

/** True when the header says enough to go on. */
export function checkHeader(parts: Parts, say: Say): boolean {
  const at = (name: keyof typeof HEADER): number => parts.word(HEADER[name])
  const expect = (name: keyof typeof HEADER, low: number, high: number): boolean => {
    const holds = at(name) >= low && at(name) <= high
    if (!holds) say(`header, ${name} is ${at(name)}, not in ${low} .. ${high}`, CERTAIN)
    return holds
  }
  const isWhole = [
    expect('MAGIC', MAGIC, MAGIC),
    expect('VERSION', 1, 1),
    expect('MAX_BREAKERS', 1, 65_536),
    expect('MAX_THREADS', 1, 1023),
    expect('ARENA_LINES', 1, 2 ** 31 - 1),
    expect('MAX_CONTROLS', 1, 65_536),
    expect('CONTROL_LINES', 1, 2 ** 31 - 1),
  ]
  if (isWhole.includes(false)) return false
  const { maxBreakers, maxThreads } = parts
  const words = parts.controls.end
  const bytes = words * 4
  const { byteLength } = parts.memory
  if (bytes !== byteLength && byteLength !== memoryBytesOf({ maxBreakers, maxThreads, words })) {
    say(`header, geometry asks for ${bytes} bytes, the buffer has ${byteLength}`, CERTAIN)
    return false
  }
  expect('CLOCK', 0, 1)
  expect('SLOTS_USED', 0, parts.maxThreads)
  expect('OVERFLOW_USED', 0, 1)
  expect('ACTIVE', 0, 1)
  expect('DAMAGED', 0, 0)
  checkTimes(parts, say)
  checkKeeper(parts, say)
  checkPeople(parts, say)
  checkPadding(parts, say)
  const { faults, misfits } = readOptions(parts, parts.defaults)
  for (const fault of [...faults, ...misfits]) say(`defaults, ${fault}`, CERTAIN)
  return true
}

function checkTimes(parts: Parts, say: Say): void {
  const origin = parts.double(HEADER.ORIGIN)
  if (!(origin > 0 && Number.isFinite(origin))) {
    say(`header, ORIGIN is ${origin}, not a time`, CERTAIN)
  }
  const timeout = parts.double(HEADER.DEFAULT_TIMEOUT)
  if (!(timeout >= 0 && timeout <= 2147483647)) {
    say(`header, DEFAULT_TIMEOUT is ${timeout}, not in 0 .. 2147483647`, CERTAIN)
  }
  const clock = parts.long(HEADER.MANUAL_CLOCK)
  const isManual = parts.word(HEADER.CLOCK) === 1
  if (clock < 0n || (clock > 0n && !isManual)) say(`header, MANUAL_CLOCK is ${clock}`, CERTAIN)
}

/** TICK: 0 = no keeper, -1 = asleep, else its last tick. A region made without one has none. */
function checkKeeper(parts: Parts, say: Say): void {
  const tickMs = parts.double(HEADER.TICK_MS)
  const isLegal = tickMs === 0 || (Number.isInteger(tickMs) && tickMs >= 1 && tickMs <= 1000)
  if (!isLegal) {
    say(`header, TICK_MS is ${tickMs}, neither 0 nor a whole number in 1 .. 1000`, CERTAIN)
  }
  if (tickMs !== 0 && parts.word(HEADER.CLOCK) === 1) {
    say(`header, TICK_MS is ${tickMs}, yet the clock is manual`, CERTAIN)
  }
  const tick = parts.word(HEADER.TICK)
  if (!(tick >= -1 && tick <= LAST_TICK)) {
    say(`header, TICK is ${tick}, not in -1 .. ${LAST_TICK}`, CERTAIN)
  }
  for (const name of ['TICK', 'ACTIVE'] as const) {
    const value = parts.word(HEADER[name])
    if (tickMs === 0 && value !== 0) {
      say(`header, ${name} is ${value}, yet there is no keeper`, CERTAIN)
    }
  }
}

function checkPadding(parts: Parts, say: Say): void {
  const { breakers, controls } = parts
  for (const [what, from, to] of [
    ['header', HEADER.CONTROL_LINES + 1, LINE],
    ['header', HEADER.THREADS_WITHOUT_SLOT + 1, HEADER.EXPORTER],
    ['header', HEADER.EXPORTER + 2, 2 * LINE],
    ['header', HEADER.TICK + 1, 3 * LINE],
    ['header', HEADER.JOURNAL_HEAD + 1, parts.defaults],
    ['defaults', parts.defaults + 30, parts.threads],
    ['threads', parts.threads + (parts.maxThreads + 1) * 2, parts.presence],
    ['making', breakers.making + 2, breakers.directory],
    ['making of controls', controls.making + 2, controls.directory],
    ['directory', breakers.directory + breakers.entries * 2, breakers.definitions],
    ['directory of controls', controls.directory + controls.entries * 2, controls.definitions],
  ] as const) {
    const at = parts.firstNonZero(from, to)
    if (at >= 0) say(`${what}, unused word ${at} is ${hex(parts.word(at))}, not 0`, CERTAIN)
  }
}

/** Who takes no slot says first that there are such threads. */
function checkPeople(parts: Parts, say: Say): void {
  const without = parts.word(HEADER.THREADS_WITHOUT_SLOT) >>> 0
  if (without > 0 && parts.word(HEADER.OVERFLOW_USED) === 0) {
    say(`header, THREADS_WITHOUT_SLOT is ${without}, yet OVERFLOW_USED is 0`)
  }
  const end = field(parts.long(HEADER.EXPORTER), 0, 51)
  if (end > parts.now + DAY + 1) {
    say(`header, EXPORTER has a lease until ${ms(end)}, at ${ms(parts.now)}: longer than a day`)
  }
}

/** Beats are of slots that somebody had, and none is to come. */
export function checkPresence(parts: Parts, say: Say): void {
  const slotsUsed = parts.word(HEADER.SLOTS_USED)
  const now = Math.floor((parts.now + 1) / TENTH_OF_A_SECOND) + 1
  for (let slot = 0; slot <= parts.maxThreads; slot++) {
    const at = parts.presence + slot * LINE
    const stray = parts.firstNonZero(at + 1, at + LINE)
    if (stray >= 0) {
      say(`presence, unused word ${stray} is ${hex(parts.word(stray))}, not 0`, CERTAIN)
    }
    const beat = parts.word(at) >>> 0
    if (beat === 0) continue
    const what = `slot ${slot}, BEAT is ${beat}`
    if (slot === 0 || slot > slotsUsed) say(`${what}, yet no thread ever had the slot`)
    const early = ahead(beat, now, 32)
    if (early > 0 && early < 2 ** 31) say(`${what}: of tenths of a second, ${now} have begun`)
  }
}
