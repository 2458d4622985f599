/** The top of the page: how many are in which state, the registry, the connection, the title. */
import { make, setAttribute, setText, stateSign } from './elements.js'
import { count, duration, plural } from './format.js'

const STATES = ['open', 'forced-open', 'half-open', 'closed', 'metrics-only', 'disabled']
/** Shown also where there are none. */
const ALWAYS = ['open', 'half-open', 'closed']

const LINKS = {
  live: () => 'live',
  connecting: () => 'connecting',
  silent: ms => `no news for ${duration(ms)}`,
  lost: detail => (detail ? `not connected: ${detail}` : 'reconnecting'),
  closed: detail => `ended: ${detail}`,
}

export class Header {
  #link = document.getElementById('link')
  #facts = document.getElementById('facts')
  #chips = new Map()
  /** States to show; none: all. */
  chosen = new Set()

  constructor(onChange) {
    for (const state of STATES) {
      const number = make('b', {}, '0')
      const chip = make(
        'button',
        { type: 'button', 'data-state': state, 'aria-pressed': 'false' },
        stateSign(state),
        number,
        make('span', {}, state),
      )
      chip.hidden = !ALWAYS.includes(state)
      chip.addEventListener('click', () => {
        if (!this.chosen.delete(state)) this.chosen.add(state)
        this.#press()
        onChange()
      })
      this.#chips.set(state, { chip, number })
      document.getElementById('states').append(chip)
    }
  }

  showAll() {
    this.chosen.clear()
    this.#press()
  }

  #press() {
    for (const [state, { chip }] of this.#chips) {
      setAttribute(chip, 'aria-pressed', String(this.chosen.has(state)))
    }
  }

  update({ breakers, registry }) {
    const counts = new Map(STATES.map(state => [state, 0]))
    for (const { state } of breakers.values()) counts.set(state, (counts.get(state) ?? 0) + 1)
    for (const [state, { chip, number }] of this.#chips) {
      const found = counts.get(state)
      setText(number, count(found))
      setAttribute(chip, 'data-some', found > 0 ? 'yes' : undefined)
      chip.hidden = found === 0 && !ALWAYS.includes(state) && !this.chosen.has(state)
    }
    const trouble = counts.get('open') + counts.get('forced-open')
    const title = trouble > 0 ? `${trouble} open · busbar` : 'busbar'
    if (document.title !== title) document.title = title
    this.#showFacts(factsOf(breakers.size, registry))
  }

  #showFacts(facts) {
    while (this.#facts.childElementCount < facts.length) this.#facts.append(make('li'))
    while (this.#facts.childElementCount > facts.length) this.#facts.lastElementChild.remove()
    for (const [at, { text, isWrong, title }] of facts.entries()) {
      const item = this.#facts.children[at]
      setText(item, text)
      setAttribute(item, 'data-wrong', isWrong ? 'yes' : undefined)
      setAttribute(item, 'title', title)
    }
  }

  link(state, detail) {
    setAttribute(this.#link, 'data-link', state)
    setText(this.#link, LINKS[state](detail))
  }
}

function factsOf(size, registry) {
  const { threads, maxThreads, threadsWithoutSlot, maxBreakers, damaged, keeper, slots } = registry
  const silent = slots.filter(({ state }) => state === 'silent').length
  const dead = slots.filter(({ state }) => state === 'dead').length
  const ill = [silent > 0 ? `${silent} silent` : '', dead > 0 ? `${dead} dead` : ''].filter(Boolean)
  const facts = [
    { text: `${count(size)} of ${plural(maxBreakers, 'breaker')}` },
    {
      text: [`${count(threads)} of ${plural(maxThreads, 'thread')}`, ...ill].join(', '),
      isWrong: dead > 0,
      title: 'silent: the event loop has not turned for 3 s: blocked, or a pool worker that waits',
    },
    { text: keeper === 'none' ? 'no keeper' : `keeper ${keeper}` },
  ]
  if (threadsWithoutSlot > 0) {
    const text = `${plural(threadsWithoutSlot, 'thread')} without a slot`
    facts.push({ text, isWrong: true, title: 'maxThreads is too small: they share one slot' })
  }
  if (damaged > 0) {
    const title = 'words of the region that make no sense: something else wrote there'
    facts.push({ text: plural(damaged, 'damaged word'), isWrong: true, title })
  }
  return facts
}
