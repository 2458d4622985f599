/**
 * What busbar must cost (spec section 5), as ratios of figures of one run.
 *
 * @typedef {object} Limit
 * @property {string} about
 * @property {string} question
 * @property {(answer: import('./result.mjs').Answer) => number} measure
 * @property {'most' | 'least'} side
 * @property {number} limit
 */
import { CORES } from './threads.mjs'

function figureOf(answer, title, label, x) {
  const panel = answer.panels.find(one => one.title === title)
  const found = panel?.rows.find(row => row.label === label && row.x === x)
  if (found === undefined) throw new Error(`no figure of "${label}" in "${title}"`)
  return found.value
}

/** One row's figure over another's in the same panel. */
function ratio(question, title, label, over, x) {
  const measure = answer => figureOf(answer, title, label, x) / figureOf(answer, title, over, x)
  return { question, measure }
}

const REFUSAL = 'A refusal, keeper on'
const REFUSAL_OFF = 'A refusal, keeper off'
const SUCCESS = 'A permit and a success, keeper on'
const SUCCESS_FLOOR = 'two Atomics.load, one Atomics.add'
const OWN_TIME = "One thread's time for an operation of its own"
const SCALING = 'Scaling: throughput for each thread, as a part of what one thread does alone'
const CLOSED = 'Closed: a call that succeeds'
const OPEN = 'Open: refused, the error caught'
const FALLBACK = 'A refusal with a fallback'
const DECISION = 'A decision, nothing refused'
const DECISION_HALF = 'A decision, half refused'
const DECIDED = 'throttle, keeper on'
const PIPELINE = 'A call through a pipeline, everything healthy'
const PIPELINE_PARTS = 'throttle, bulkhead, breaker'
const PIPELINE_OPOSSUM = "opossum's breaker alone"
const PIPELINE_ALL = 'retry with a budget, throttle, bulkhead, breaker'
const TIME = 'busbar permit + success, time window'
const COUNT = 'busbar permit + success, count window'
/** Resilience4j's from one thread to two. */
const COUNT_SLOPE = 5

const most = (limit, about, measured) => ({ about, side: 'most', limit, ...measured })
const least = (limit, about, measured) => ({ about, side: 'least', limit, ...measured })

function contended(label, floor) {
  return ratio('contention', OWN_TIME, label, floor, CORES)
}

function scaling(label) {
  return { question: 'contention', measure: answer => figureOf(answer, SCALING, label, CORES) }
}

const ON_ALL_CORES = [
  most(2.5, `refusal, ${CORES} threads : a load`, contended('busbar refusal', 'one load')),
  most(2, `permit + success, ${CORES} threads : its floor`, contended(TIME, 'two loads, one add')),
  most(COUNT_SLOPE, `count window, ${CORES} threads : 1 thread`, {
    question: 'contention',
    measure: answer =>
      figureOf(answer, OWN_TIME, COUNT, CORES) / figureOf(answer, OWN_TIME, COUNT, 1),
  }),
  least(0.9, 'refusals grow with each core by', scaling('busbar refusal')),
  least(0.9, 'permit + success grows with each core by', scaling(TIME)),
]

/** @type {Limit[]} */
export const LIMITS = [
  most(
    2.5,
    'refusal, keeper on : a load',
    ratio('refuse', REFUSAL, 'open, keeper on', 'one Atomics.load'),
  ),
  most(
    1.3,
    'refusal, keeper off : a load and a clock read',
    ratio('refuse', REFUSAL_OFF, 'open, keeper off', 'Atomics.load and process.hrtime()'),
  ),
  most(
    2,
    'permit + success, time window : two loads, one add',
    ratio('permit', SUCCESS, 'time window', SUCCESS_FLOOR),
  ),
  most(
    2.5,
    'permit + success, count window : two loads, one add',
    ratio('permit', SUCCESS, 'count window', SUCCESS_FLOOR),
  ),
  ...(CORES > 1 ? ON_ALL_CORES : []),
  most(0.75, 'execute, closed : cockatiel', ratio('peers', CLOSED, 'busbar', 'cockatiel')),
  most(0.25, 'execute, closed : opossum', ratio('peers', CLOSED, 'busbar', 'opossum')),
  most(0.1, 'execute, open : cockatiel', ratio('peers', OPEN, 'busbar', 'cockatiel')),
  most(0.1, 'execute, open : opossum', ratio('peers', OPEN, 'busbar', 'opossum')),
  most(
    3,
    'execute with a fallback, open : await fallback()',
    ratio('execute', FALLBACK, 'await execute(fn, { fallback })', 'await fallback()'),
  ),
  most(
    3,
    'throttle, nothing refused : a load and a random number',
    ratio('throttle', DECISION, DECIDED, 'one Atomics.load, one random number'),
  ),
  most(
    3,
    'throttle, half refused : a load and a random number',
    ratio('throttle', DECISION_HALF, DECIDED, 'one Atomics.load, one random number'),
  ),
  most(
    1,
    "throttle, bulkhead, breaker in a pipeline : opossum's breaker alone",
    ratio('pipeline', PIPELINE, PIPELINE_PARTS, PIPELINE_OPOSSUM),
  ),
  most(
    20,
    'a whole pipeline, retry budget included : await fn()',
    ratio('pipeline', PIPELINE, PIPELINE_ALL, 'await fn()'),
  ),
]
