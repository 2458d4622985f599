/** Says changes of state to screen readers: politely, and not each of a flood. */
import { after } from './time.js'

const WAIT_MS = 1_500
const MAX_SAID = 3

const place = document.getElementById('announcer')
let waiting = []

export function announce(transitions) {
  if (waiting.length === 0 && transitions.length > 0) after(WAIT_MS, say)
  waiting.push(...transitions)
}

function say() {
  // Of a breaker that moved more than once the last word counts.
  const last = new Map(waiting.map(transition => [transition.breaker, transition]))
  waiting = []
  const said = [...last.values()].slice(-MAX_SAID)
  const sentences = said.map(({ breaker, to, reason }) => `${breaker} is ${to}: ${reason}.`)
  const more = last.size - said.length
  if (more > 0) sentences.push(`${more} more have changed.`)
  place.textContent = sentences.join(' ')
}
