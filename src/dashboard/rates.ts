/** From counts at two moments to rates and percentiles. Pure. */

/** Cumulative counts of durations up to `leMs`, as `breaker.durations()` gives them. */
export type Buckets = readonly { readonly leMs: number; readonly count: number }[]

/** Three digits are what an eye compares; more would only make frames differ. */
export function threeDigits(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(3))
}

export function perSecond(count: number, elapsedMs: number): number {
  return elapsedMs > 0 ? threeDigits((Math.max(0, count) * 1000) / elapsedMs) : 0
}

/** `after` less `before`: what was counted between the two. */
export function between(before: Buckets, after: Buckets): Buckets {
  return after.map(({ leMs, count }, at) => ({ leMs, count: count - (before[at]?.count ?? 0) }))
}

/**
 * The duration that `part` of the calls did not exceed; null where there were none. Durations are
 * taken as spread evenly over their bucket on a logarithmic scale, which is how they are bucketed.
 */
export function percentile(buckets: Buckets, part: number): number | null {
  const total = buckets.at(-1)?.count ?? 0
  if (!(total > 0)) return null
  const rank = part * total
  const at = buckets.findIndex(({ count }) => count >= rank && count > 0)
  const found = buckets[at]
  if (found === undefined) return null
  const below = buckets[at - 1] ?? { leMs: found.leMs / 2, count: 0 }
  // Of calls longer than the last limit it is known that they were, not by how much.
  if (found.leMs === Number.POSITIVE_INFINITY) return threeDigits(below.leMs)
  const fraction = (rank - below.count) / (found.count - below.count)
  return threeDigits(below.leMs * (found.leMs / below.leMs) ** fraction)
}
