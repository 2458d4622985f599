/** Small makers of elements. Names and reasons only ever become text, never markup. */

const SVG = 'http://www.w3.org/2000/svg'

/** An element with attributes and children: `make('p', { class: 'a' }, 'text', node)`. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children)
}

export function makeSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children)
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

/** Sets the text where it differs: most of it stays the same from second to second. */
export function setText(element, text) {
  if (element.shown === text) return
  element.shown = text
  element.textContent = text
}

export function setAttribute(element, name, value) {
  const key = `shown-${name}`
  if (element[key] === value) return
  element[key] = value
  if (value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, value)
}

/** A custom property of the element's style. */
export function setStyle(element, name, value) {
  const key = `shown${name}`
  if (element[key] === value) return
  element[key] = value
  element.style.setProperty(name, value)
}

/**
 * The signs of the states: a switch between two contacts, so that they differ in shape and not
 * only in colour.
 */
const LEVERS = {
  closed: 'M5 8H19',
  open: 'M5 8L17 1.500',
  'half-open': 'M5 8L18.500 4.500',
  'forced-open': 'M5 8L15 1.500M16.500 5l4 6M20.500 5l-4 6',
  disabled: 'M5 8C8 1 16 1 19 8',
  'metrics-only': 'M5 8H19M8 13v-2M12 14v-3M16 13v-2',
}

export function stateSign(state) {
  const lever = makeSvg('path', { class: 'lever', d: LEVERS[state] ?? '' })
  const leads = makeSvg('path', { d: 'M0 8H4M20 8H24' })
  const contacts = [4, 20].map(cx => makeSvg('circle', { cx, cy: 8, r: 2 }))
  const attributes = { class: 'sign', viewBox: '-1 0 26 15', 'aria-hidden': 'true' }
  return makeSvg('svg', attributes, leads, lever, ...contacts)
}
