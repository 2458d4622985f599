/** Trouble first, and no jumping about. Pure. */

const RANKS = { open: 0, 'forced-open': 1, 'half-open': 2 }
/** Closed ones near their threshold, and all the others. */
const NEAR = 3
const CALM = 4

/** Near the threshold from this part of it up ... */
const ENTER = 0.75
/** ... until it falls below this one. */
const LEAVE = 0.5

/** How near its thresholds a breaker is: 1 is there. */
export function strain({ failureRate, slowCallRate, failures, introduction }) {
  const { failuresInARow, failureRateThreshold, slowCallRateThreshold } = introduction
  if (failuresInARow !== null) return failures / failuresInARow
  return Math.max(
    (failureRate ?? 0) / failureRateThreshold,
    (slowCallRate ?? 0) / slowCallRateThreshold,
  )
}

function rankNow(breaker, before) {
  const rank = RANKS[breaker.state]
  if (rank !== undefined) return rank
  return strain(breaker) >= (before === NEAR ? LEAVE : ENTER) ? NEAR : CALM
}

/** A breaker keeps its place for so long after things got better: they often get worse again. */
const KEEP_MS = 5_000

/**
 * The breaker's rank at `now`, given the standing of before: `{ rank, until }`. Worse counts at
 * once, better only after a while, so a breaker that goes back and forth stays where it is.
 */
export function standingOf(breaker, now, before) {
  const rank = rankNow(breaker, before?.rank)
  if (before === undefined || rank <= before.rank) return { rank, until: now + KEEP_MS }
  return now < before.until ? before : { rank, until: now + KEEP_MS }
}

const names = new Intl.Collator('en', { numeric: true })

/** Gives each its place by name, which is dear to find and seldom changes. */
export function placeByName(breakers) {
  const sorted = [...breakers].sort((one, other) => names.compare(one.name, other.name))
  for (const [place, breaker] of sorted.entries()) breaker.place = place
}

/** For `sort`: of `{ place, standing }`. */
export function compare(one, other) {
  return one.standing.rank - other.standing.rank || one.place - other.place
}
