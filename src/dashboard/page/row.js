/** The row of one breaker: made once, then only what differs is changed. */
import { make, setAttribute, setStyle, setText, stateSign } from './elements.js'
import { count, countdown, duration, latency, NOTHING, rate } from './format.js'
import { makeMeter, updateMeter } from './meter.js'
import { makeSpark, makeStrip, updateSpark, updateStrip } from './strip.js'

const REFUSING = ['open', 'forced-open']

export class Row {
  constructor(name, columns) {
    this.parts = {
      sign: make('span', { class: 'sign-place' }),
      word: make('b', { class: 'word' }),
      since: make('span', { class: 'note' }),
      why: make('span', { class: 'note why' }),
      due: make('span', { class: 'due' }),
      wait: make('span', { class: 'wait', 'aria-hidden': 'true' }, make('i')),
      places: make('span', { class: 'places' }),
      failures: makeMeter('failure rate'),
      slow: makeMeter('slow call rate'),
      strip: makeStrip(),
      spark: makeSpark(columns),
    }
    const { sign, word, since, why, due, wait, places, failures, slow, strip, spark } = this.parts
    const title = make('span', { class: 'name', title: name }, name)
    const told = make('div', { class: 'told' }, places, due, wait, why)
    this.element = make(
      'tr',
      { class: 'row', tabindex: '-1' },
      make('td', { class: 'state' }, sign, make('div', {}, word, ' ', since)),
      make('th', { scope: 'row', class: 'about' }, title, told),
      failures,
      slow,
      this.#figure('calls', 'calls a second'),
      this.#figure('refused', 'refused a second'),
      this.#figure('latency', 'p50 / p99'),
      make('td', { class: 'past', 'data-label': 'two minutes' }, spark),
      make('td', { class: 'threads', 'data-label': 'threads' }, strip),
    )
  }

  /** A cell with a number and a note below it. */
  #figure(part, label) {
    const value = make('b', { class: 'value' })
    const note = make('span', { class: 'note' })
    this.parts[part] = { value, note }
    return make('td', { class: 'number', 'data-label': label }, value, ' ', note)
  }

  update(breaker, model) {
    const { parts } = this
    this.showState(breaker.state)
    updateMeter(parts.failures, breaker, 'failures')
    updateMeter(parts.slow, breaker, 'slow calls')
    setText(parts.calls.value, rate(breaker.callsPerSecond))
    setText(parts.calls.note, breaker.inFlight > 0 ? `${count(breaker.inFlight)} in flight` : '')
    setText(parts.refused.value, rate(breaker.refusedPerSecond))
    setText(parts.refused.note, breaker.refused > 0 ? `${count(breaker.refused)} in all` : '')
    setAttribute(this.element, 'data-refusing', breaker.refusedPerSecond > 0 ? 'yes' : undefined)
    const { p50Ms, p99Ms } = breaker
    setText(parts.latency.value, p50Ms === null ? NOTHING : latency(p50Ms))
    setText(parts.latency.note, p99Ms === null ? '' : latency(p99Ms))
    updateSpark(parts.spark, breaker.past, model.column)
    updateStrip(parts.strip, breaker, model.registry.slots)
    this.#showPlaces(breaker)
    setText(parts.why, whyOf(breaker, model.latest.get(breaker.name)))
    this.tick(breaker, model.now())
  }

  /** What changes with time alone. */
  tick(breaker, now) {
    const { parts } = this
    setText(parts.since, `for ${duration(now - breaker.since)}`)
    setText(parts.due, dueOf(breaker, now))
    const isWaiting = REFUSING.includes(breaker.state) && breaker.until > now
    const whole = breaker.until - breaker.since
    const passed = isWaiting ? (now - breaker.since) / whole : 0
    setStyle(parts.wait, '--passed', passed.toFixed(3))
    setAttribute(parts.wait, 'data-on', isWaiting ? 'yes' : undefined)
  }

  /** Of rows out of view too: words that are read aloud or searched for are not to be old. */
  showState(state) {
    if (this.state === state) return
    this.state = state
    this.parts.sign.replaceChildren(stateSign(state))
    setText(this.parts.word, state)
    setAttribute(this.element, 'data-state', state)
  }

  #showPlaces({ trials, introduction }) {
    const { places } = this.parts
    const permitted = trials?.[0] ?? introduction.permittedTrials
    const [, inFlight = 0, succeeded = 0, failed = 0] = trials ?? []
    setText(places, trials === null ? '' : placesText(permitted, inFlight, succeeded, failed))
  }
}

/** "trials: 1 of 3 ok, 1 in flight". */
function placesText(permitted, inFlight, succeeded, failed) {
  const settled = [`${succeeded} of ${permitted} ok`]
  if (failed > 0) settled.push(`${failed} failed`)
  if (inFlight > 0) settled.push(`${inFlight} in flight`)
  return `trials: ${settled.join(', ')}`
}

function dueOf({ state, until }, now) {
  if (!REFUSING.includes(state)) return ''
  if (until === null) return 'until told otherwise'
  return until > now ? `next trial in ${countdown(until - now)}` : 'next call is a trial'
}

/** Why it is in this state, and by which thread: of what went wrong, not of what is well. */
function whyOf({ state, generation }, transition) {
  if (state === 'closed' || transition?.generation !== generation) return ''
  const { reason, thread } = transition
  return thread === undefined ? reason : `${reason}, thread ${thread}`
}
