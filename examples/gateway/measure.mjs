// From the client's answers to the numbers of the table. Nothing here but arithmetic.

/** @typedef {import('./client.mjs').Answer} Answer */

/** The smallest value that at least `part` of the values do not exceed (nearest rank). */
function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN
}

/** How the gateway answered, and how fast. @param {Answer[]} answers */
export function summarize(answers) {
  const times = answers.map(answer => answer.answeredMs - answer.sentMs)
  const good = answers.filter(answer => answer.status === 200).length
  const refused = answers.filter(answer => answer.status === 503).length
  return {
    requests: answers.length,
    good,
    refused,
    failed: answers.length - good - refused,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  }
}

/**
 * After the dependency answers again (`sinceMs`): the time to the first good answer, and to the
 * first good answer after which no other kind came. NaN when there was none.
 * @param {Answer[]} answers
 */
export function recovery(answers, sinceMs) {
  const bySending = [...answers].sort((a, b) => a.sentMs - b.sentMs)
  const lastBad = bySending.findLastIndex(answer => answer.status !== 200)
  const good = bySending.filter(answer => answer.status === 200)
  const goodTimes = good.map(answer => answer.answeredMs)
  return {
    firstGoodMs: (goodTimes.length > 0 ? Math.min(...goodTimes) : Number.NaN) - sinceMs,
    fullTrafficMs: (bySending[lastBad + 1]?.answeredMs ?? Number.NaN) - sinceMs,
  }
}
