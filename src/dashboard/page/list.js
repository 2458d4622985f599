/** The list of breakers: in order, filtered, and at work only on the rows that can be seen. */
import { setText } from './elements.js'
import { plural } from './format.js'
import { compare } from './order.js'
import { Row } from './row.js'

/** Rows a little outside are kept fresh, so that scrolling shows no old numbers. */
const MARGIN = '240px'

export class List {
  #rows = new Map()
  #visible = new Set()
  #words = []
  #states = new Set()
  #model
  #place = document.getElementById('rows')
  #empty = document.getElementById('empty')
  #observer = new IntersectionObserver(entries => this.#onSeen(entries), { rootMargin: MARGIN })

  constructor(model) {
    this.#model = model
  }

  get rows() {
    return [...this.#place.children].filter(element => !element.hidden)
  }

  filter(text, states) {
    this.#words = text.toLowerCase().split(/\s+/).filter(Boolean)
    this.#states = states
    this.update()
  }

  /** Whether the filter lets a breaker's name pass. */
  matches(name) {
    const lower = name.toLowerCase()
    return this.#words.every(word => lower.includes(word))
  }

  update() {
    const breakers = [...this.#model.breakers.values()].sort(compare)
    this.#removeGone()
    for (const breaker of breakers) this.#hold(breaker)
    this.#arrange(breakers.map(({ name }) => this.#rows.get(name).row.element))
    const shown = breakers.filter(breaker => this.#show(breaker))
    for (const { row, breaker } of this.#rows.values()) row.showState(breaker.state)
    for (const name of this.#visible) this.#refresh(name)
    this.#sayEmpty(breakers.length, shown.length)
  }

  /** Once a second between frames too: what changes with time alone. */
  tick() {
    const now = this.#model.now()
    for (const name of this.#visible) {
      const { row, breaker } = this.#rows.get(name)
      row.tick(breaker, now)
    }
  }

  #hold(breaker) {
    const held = this.#rows.get(breaker.name)
    if (held !== undefined) held.breaker = breaker
    else {
      const row = new Row(breaker.name, this.#model.columns)
      row.element.breakerName = breaker.name
      this.#rows.set(breaker.name, { row, breaker })
      // Its state at once: a row that is not in view yet may be searched for all the same.
      row.update(breaker, this.#model)
      this.#observer.observe(row.element)
    }
  }

  #removeGone() {
    const names = new Set([...this.#model.breakers.values()].map(({ name }) => name))
    for (const [name, { row }] of this.#rows) {
      if (names.has(name)) continue
      this.#observer.unobserve(row.element)
      row.element.remove()
      this.#rows.delete(name)
      this.#visible.delete(name)
    }
  }

  #show(breaker) {
    const { element } = this.#rows.get(breaker.name).row
    const isState = this.#states.size === 0 || this.#states.has(breaker.state)
    const isShown = isState && this.matches(breaker.name)
    if (element.hidden === isShown) element.hidden = !isShown
    return isShown
  }

  #refresh(name) {
    const { row, breaker } = this.#rows.get(name)
    row.update(breaker, this.#model)
  }

  #onSeen(entries) {
    for (const { target, isIntersecting } of entries) {
      const name = target.breakerName
      if (!isIntersecting) this.#visible.delete(name)
      else if (this.#rows.has(name)) {
        this.#visible.add(name)
        this.#refresh(name)
      }
    }
  }

  /** Moves as few rows as it can, and keeps the focus where it was. */
  #arrange(elements) {
    const focused = document.activeElement
    let at = this.#place.firstElementChild
    for (const element of elements) {
      if (at === element) at = at.nextElementSibling
      else if (at?.nextElementSibling === element) {
        // One row has to go further down; all behind it are right.
        this.#place.append(at)
        at = element.nextElementSibling
      } else this.#place.insertBefore(element, at)
    }
    const isRow = this.#place.contains(focused)
    if (isRow && document.activeElement !== focused) focused.focus({ preventScroll: true })
  }

  #sayEmpty(all, shown) {
    this.#empty.hidden = shown > 0
    if (shown > 0) return
    const none =
      all === 0 ? 'no breaker has been made yet' : `none of ${plural(all, 'breaker')} is so`
    setText(this.#empty, none)
  }
}
