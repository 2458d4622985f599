/**
 * What an error says about when to come back (`Retry-After`, RFC 9110 10.2.3). Errors are made by
 * strangers: whatever one of them does when it is looked at, it then says nothing.
 */

/** An error, and the causes behind it, down to here. They may form a ring. */
const DEPTH = 5

/**
 * The milliseconds that `error` asks to wait at least; 0 when it does not. Its own `retryAfterMs`
 * counts before the header in `headers`, that before the one in `response.headers`, and all of them
 * before what its `cause` says.
 */
export function retryAfterMsOf(error: unknown): number {
  let said = 0
  let at = error
  for (let depth = 0; depth < DEPTH && !(said > 0); depth += 1) {
    said =
      ownWordOf(at) ||
      headerWordOf(read(at, 'headers')) ||
      headerWordOf(read(read(at, 'response'), 'headers'))
    at = read(at, 'cause')
  }
  return said
}

function ownWordOf(error: unknown): number {
  const ms = read(error, 'retryAfterMs')
  return typeof ms === 'number' && ms > 0 ? ms : 0
}

/** `headers` is a `Headers` or another thing with `get`, or an object with names in any case. */
function headerWordOf(headers: unknown): number {
  try {
    const value = valueIn(headers)
    if (typeof value !== 'string' && typeof value !== 'number') return 0
    // The one place that needs the time of day: the server names one.
    return parseRetryAfter(String(value), Date.now())
  } catch {
    return 0
  }
}

function valueIn(headers: unknown): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined
  if ('get' in headers && typeof headers.get === 'function') return headers.get('retry-after')
  const name = Object.keys(headers).find(key => key.toLowerCase() === 'retry-after')
  return name === undefined ? undefined : Reflect.get(headers, name)
}

function read(from: unknown, key: string): unknown {
  try {
    return typeof from === 'object' && from !== null ? Reflect.get(from, key) : undefined
  } catch {
    return undefined
  }
}

/**
 * The three forms of a date (RFC 9110 5.6.7), all in GMT: `Sun, 06 Nov 1994 08:49:37 GMT`, and of
 * old `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
 */
const DATES = [
  /^[a-z]{3}, (?<day>\d\d) (?<month>[a-z]{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/i,
  /^[a-z]{6,9}, (?<day>\d\d)-(?<month>[a-z]{3})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/i,
  /^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/i,
]

/** The milliseconds from `nowMs` on that a header's value means; 0 for a past date or no value. */
export function parseRetryAfter(text: string, nowMs: number): number {
  const value = text.trim()
  if (/^\d+$/.test(value)) return Number(value) * 1000
  for (const form of DATES) {
    const { day, month, year, time } = form.exec(value)?.groups ?? {}
    if (day === undefined) continue
    // Years of two digits are those from 1950 to 2049.
    const atMs = Date.parse(`${day} ${month} ${year} ${time} GMT`)
    return atMs > nowMs ? atMs - nowMs : 0
  }
  return 0
}
