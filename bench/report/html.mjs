/** HTML from pieces that are texts unless they say that they are HTML. */

const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** @param {unknown} text */
export function escapeText(text) {
  return String(text).replace(/[&<>"']/g, character => ESCAPES[character])
}

class Markup {
  constructor(text) {
    this.text = text
  }

  toString() {
    return this.text
  }
}

function piece(value) {
  if (Array.isArray(value)) return value.map(piece).join('')
  if (value instanceof Markup) return value.text
  return value === undefined || value === false ? '' : escapeText(value)
}

/** A text that is HTML, a style or a script already. */
export function raw(text) {
  return new Markup(text)
}

/** A template tag: html`<b>${text}</b>` escapes the text. */
export function html(strings, ...values) {
  return new Markup(strings.reduce((whole, text, at) => whole + piece(values[at - 1]) + text))
}

/** A name for an address within the page. */
export function anchorOf(...words) {
  return words
    .join('-')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
