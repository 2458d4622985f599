// What the demo prints: the setting, a line a phase, the table, and how to read it.

/** @typedef {import('./run.mjs').PhaseResult} PhaseResult */

const NAME_WIDTH = 42
const COLUMN_WIDTH = 15

export function setting(plan) {
  return [
    `A gateway with ${plan.workers} worker threads calls a dependency that goes down and comes back.`,
    `Load: ${plan.requestsPerSecond} requests a second at an even pace, whatever is answered.`,
    `A call is given up after ${plan.callTimeoutMs} ms. A breaker looks at the calls of the last ${plan.windowMs} ms:`,
    `if they are ${plan.minimumCalls} or more and ${plan.failureRate * 100} % failed it opens, refuses for ${plan.waitMs} ms, then lets`,
    'one trial through. What it refuses the gateway answers at once, with 503.',
  ].join('\n')
}

/** @param {PhaseResult} result */
export function phaseLine({ name, requests, good, failed, refused, calls }) {
  const cells = [`${requests} requests`, `${good} good`, `${failed} failed`, `${refused} refused`]
  const outcomes = cells.map(cell => cell.padStart(12)).join('')
  return `  ${name.padEnd(19)}${outcomes}   ${String(calls).padStart(3)} reached the dependency`
}

/** A row of the table is its title, the phase it looks at, and what it shows of that. */
const sections = [
  {
    title: 'CALLS THAT REACHED THE DEPENDENCY',
    rows: [
      ['healthy', 'healthy', result => result.calls],
      ['down, answers 503', 'down, answers 503', result => result.calls],
      ['  before the breakers were open', 'down, answers 503', beforeOpen],
      ['  trials', 'down, answers 503', trials],
      ['down, hangs (behind a breaker: trials)', 'down, hangs', result => result.calls],
      ['back: trials, before all were closed', 'back', trials],
      ['down again, in mid traffic', 'down again', result => result.calls],
      ['  before the breakers were open', 'down again', beforeOpen],
      ['  trials', 'down again', trials],
    ],
  },
  {
    title: "THE GATEWAY'S ANSWER TIME, p50 / p99 in ms",
    rows: ['healthy', 'down, answers 503', 'down, hangs', 'back', 'down again'].map(name => [
      name,
      name,
      ({ p50Ms, p99Ms }) => `${milliseconds(p50Ms)} / ${milliseconds(p99Ms)}`,
    ]),
  },
  {
    title: 'TIME FROM THE RECOVERY OF THE DEPENDENCY, in ms',
    rows: [
      ['to the first good answer', 'back', result => milliseconds(result.firstGoodMs)],
      ['to full traffic: only good answers since', 'back', r => milliseconds(r.fullTrafficMs)],
    ],
  },
]

/** @param {{ title: string[], phases: PhaseResult[] }[]} columns  one a run; a title has two lines */
export function table(columns) {
  const line = (name, cellOf) => {
    const cells = columns.map(column => String(cellOf(column)).padStart(COLUMN_WIDTH))
    return name.padEnd(NAME_WIDTH) + cells.join('')
  }
  const row = ([title, name, show]) =>
    line(title, ({ phases }) => show(phases.find(phase => phase.name === name)))
  const rule = '-'.repeat(NAME_WIDTH + COLUMN_WIDTH * columns.length)
  return [
    line('', column => column.title[0]),
    line('', column => column.title[1]),
    ...sections.flatMap(section => [rule, section.title, ...section.rows.map(row)]),
    rule,
  ].join('\n')
}

export function reading({ workers, minimumCalls, windowMs, waitMs, callTimeoutMs, phases }) {
  const msSinceTrial = phases.find(phase => phase.recovery).msSinceTrial
  const periodMs = waitMs + callTimeoutMs
  return [
    'How to read it',
    `* The first outage follows a pause longer than the window, so the minimum of ${minimumCalls} calls`,
    `  decides. Each breaker has to see it for itself: ${workers} breakers, ${workers} times the calls. And each`,
    '  of them sends its own trials.',
    `* "down again" comes in mid traffic: the window of ${windowMs} ms is full of good calls, and the`,
    '  failure rate decides. That takes about as many failures in one window as in four.',
    `* The dependency comes back ${msSinceTrial} ms after the last trial, so that no run is luckier than`,
    `  another. A hanging trial and the wait take ${periodMs} ms: the next is due after ${periodMs - msSinceTrial} ms.`,
  ].join('\n')
}

function beforeOpen({ calls, trials, refused }) {
  return refused > 0 ? calls - trials : 'never open'
}

function trials(result) {
  return result.refused > 0 ? result.trials : '-'
}

function milliseconds(value) {
  if (Number.isNaN(value)) return 'never'
  return value < 10 ? value.toFixed(1) : value.toFixed(0)
}
