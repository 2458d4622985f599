/** The browser's clocks and timers: the one file that names them. */

/** Milliseconds of a clock that only goes forward. */
export function uptimeMs() {
  return performance.now()
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const calendar = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** What the clock on the wall showed so long ago. */
export function wallTime(agoMs) {
  const date = new Date(Date.now() - agoMs)
  return { short: clock.format(date), long: calendar.format(date), iso: date.toISOString() }
}

/** Calls `run` after `ms`; the result calls it off. */
export function after(ms, run) {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

export function every(ms, run) {
  setInterval(run, ms)
}
