/** What happened: the transitions, the latest first. */
import { make, setText, stateSign } from './elements.js'
import { count, duration, percent, plural } from './format.js'
import { wallTime } from './time.js'

const MAX_ITEMS = 150

export class Timeline {
  #list = document.getElementById('timeline')
  #quiet = document.getElementById('quiet')
  #model
  #matches = () => true

  constructor(model) {
    this.#model = model
  }

  /** From a snapshot, or another filter: all of it anew. */
  rebuild(matches) {
    this.#matches = matches
    this.#list.replaceChildren()
    this.add(this.#model.transitions)
  }

  add(transitions) {
    const shown = transitions.filter(({ breaker }) => this.#matches(breaker))
    const items = shown.slice(-MAX_ITEMS).map(transition => this.#item(transition))
    this.#list.prepend(...items.reverse())
    while (this.#list.childElementCount > MAX_ITEMS) this.#list.lastElementChild.remove()
    this.#quiet.hidden = this.#list.childElementCount > 0
  }

  tick() {
    const now = this.#model.now()
    for (const item of this.#list.children) setText(item.ago, agoText(now - item.at))
  }

  #item({ breaker, from, to, at, reason, thread, counts }) {
    const agoMs = Math.max(0, this.#model.now() - at)
    const { short, long, iso } = wallTime(agoMs)
    const ago = make('span', { class: 'ago note' }, agoText(agoMs))
    const item = make(
      'li',
      { 'data-state': to },
      make('time', { datetime: iso, title: long }, short),
      make('span', { class: 'to' }, stateSign(to), make('b', {}, to)),
      make('span', { class: 'name', title: `${breaker}: from ${from} to ${to}` }, breaker),
      make('span', { class: 'reason' }, [reason, countsText(counts)].filter(Boolean).join(': ')),
      make('span', { class: 'by note' }, thread === undefined ? '' : `thread ${thread}`),
      ago,
    )
    return Object.assign(item, { ago, at })
  }
}

function agoText(ms) {
  return ms < 1_000 ? 'now' : `${duration(ms)} ago`
}

/** "14 of 25 failed (56 %), 3 slow". */
function countsText(counts) {
  if (!counts || counts.calls === 0) return ''
  const { calls, failures, slowCalls } = counts
  const failed = failures > 0 ? `${count(failures)} of ${plural(calls, 'call')} failed` : ''
  const rate = failures > 0 ? ` (${percent(failures / calls)})` : ''
  const slow = slowCalls > 0 ? `${count(slowCalls)} slow` : ''
  const found = [`${failed}${rate}`, slow].filter(Boolean).join(', ')
  return found === '' ? `${plural(calls, 'call')}, none failed` : found
}
