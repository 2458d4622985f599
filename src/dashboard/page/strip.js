/** The strip of threads and the sparkline: the two pictures in a row. */
import { make, makeSvg, setAttribute, setStyle } from './elements.js'
import { percent, plural, rate } from './format.js'

const MAX_CELLS = 32

export function makeStrip() {
  return make('div', { class: 'strip', role: 'img' })
}

/** Threads that have called, and those that could. `slots` are the registry's. */
function threadsOf({ shares }, slots) {
  const bySlot = new Map(slots.map(each => [each.slot, { ...each, calls: 0, inFlight: 0 }]))
  for (let at = 0; at < shares.length; at += 3) {
    const [slot, calls, inFlight] = shares.slice(at, at + 3)
    const known = bySlot.get(slot) ?? {
      slot,
      thread: undefined,
      state: slot === 0 ? 'live' : 'gone',
    }
    bySlot.set(slot, { ...known, calls, inFlight })
  }
  return [...bySlot.values()].sort((one, other) => one.slot - other.slot)
}

function describe({ slot, thread, state, calls, inFlight }, total) {
  const name = slot === 0 ? 'threads without a slot' : `thread ${thread ?? '?'}`
  const share = calls > 0 ? `${percent(calls / total)} of the calls` : 'no calls of late'
  const words = { silent: ', silent: blocked or idle', dead: ', dead', gone: ', gone' }
  const flight = inFlight > 0 ? `, ${inFlight} in flight` : ''
  return `${name}: ${share}${flight}${words[state] ?? ''}`
}

/** One cell per thread, filled by its share of the calls of the last ten seconds. */
export function updateStrip(strip, breaker, slots) {
  const threads = threadsOf(breaker, slots)
  const shown = threads.slice(0, MAX_CELLS)
  const total = threads.reduce((sum, { calls }) => sum + calls, 0)
  const most = Math.max(1, ...threads.map(({ calls }) => calls))
  while (strip.childElementCount > shown.length) strip.lastElementChild.remove()
  while (strip.childElementCount < shown.length) strip.append(make('i', {}, make('b')))
  for (const [at, thread] of shown.entries()) {
    const cell = strip.children[at]
    setAttribute(cell, 'data-thread', thread.state)
    setAttribute(cell, 'data-flight', thread.inFlight > 0 ? 'some' : undefined)
    setAttribute(cell, 'title', describe(thread, total))
    setStyle(cell, '--share', String(Math.round((thread.calls / most) * 100) / 100))
  }
  setAttribute(
    strip,
    'data-more',
    threads.length > MAX_CELLS ? `+${threads.length - MAX_CELLS}` : undefined,
  )
  const words = threads.filter(
    ({ calls, inFlight, state }) => calls + inFlight > 0 || state !== 'live',
  )
  const list = words.slice(0, MAX_CELLS).map(thread => describe(thread, total))
  setAttribute(strip, 'aria-label', [plural(threads.length, 'thread'), ...list].join('; '))
}

const HEIGHT = 26
const STEP = 3
const BAR = 2.4
const KINDS = ['succeeded', 'failed', 'refused']

export function makeSpark(columns) {
  const paths = KINDS.map(kind => makeSvg('path', { class: kind }))
  const base = makeSvg('path', { class: 'base' })
  const viewBox = `0 0 ${columns * STEP} ${HEIGHT + 1}`
  const attributes = { class: 'spark', viewBox, preserveAspectRatio: 'none', role: 'img' }
  return makeSvg('svg', attributes, base, ...paths)
}

/** Stacked columns: what succeeded, failed and was refused, scaled to the highest of them. */
export function updateSpark(spark, past, column) {
  const columns = past.read(column)
  const highest = Math.max(0, ...columns.map(rates => (rates ? rates[0] + rates[1] + rates[2] : 0)))
  const texts = ['', '', '']
  let base = ''
  for (const [at, rates] of columns.entries()) {
    // No line where nobody looked, which is not the same as no calls.
    if (rates === undefined) continue
    base += `M${at * STEP} ${HEIGHT}h${STEP}`
    if (highest === 0) continue
    let bottom = HEIGHT
    for (const [kind, value] of rates.entries()) {
      if (value === 0) continue
      // What there is of something can be seen, however little it is.
      const height = Math.max(1, (value / highest) * (HEIGHT - 1))
      bottom -= height
      texts[kind] += `M${at * STEP} ${bottom.toFixed(1)}h${BAR}v${height.toFixed(1)}h-${BAR}z`
    }
  }
  for (const [at, text] of [base, ...texts].entries()) setAttribute(spark.children[at], 'd', text)
  setAttribute(
    spark,
    'aria-label',
    highest === 0 ? 'no calls in two minutes' : words(columns, highest),
  )
}

function words(columns, highest) {
  const looked = columns.filter(rates => rates !== undefined)
  const means = KINDS.map((kind, at) => {
    const sum = looked.reduce((total, rates) => total + rates[at], 0)
    return `${rate(sum / looked.length)} ${kind}`
  })
  return `on average of two minutes: ${means.join(', ')} a second; at most ${rate(highest)}`
}
