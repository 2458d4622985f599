/** From counts at two moments to rates and percentiles. Pure. */

/** Three digits are what an eye compares; more would only make frames differ. */
export function threeDigits(value: number): number {
  return value === 0 ? 0 : Number(value.toPrecision(3))
}

export function perSecond(count: number, elapsedMs: number): number {
  return elapsedMs > 0 ? threeDigits((Math.max(0, count) * 1000) / elapsedMs) : 0
}

/** `after` less `before`: what was counted between the two. Where nothing is, nothing was. */
export function between(before: readonly number[], after: readonly number[]): number[] {
  return after.map((count, at) => count - (before[at] ?? 0))
}

/**
 * The duration that `part` of the calls did not exceed; null where there were none. `counts`: how
 * many took up to the limit at the same place. Durations are taken as spread evenly over their
 * bucket on a logarithmic scale, which is about how they are bucketed.
 */
export function percentile(
  limitsMs: readonly number[],
  counts: readonly number[],
  part: number,
): number | null {
  const total = counts.at(-1) ?? 0
  if (!(total > 0)) return null
  const rank = part * total
  const at = counts.findIndex(count => count >= rank && count > 0)
  const limitMs = limitsMs[at]
  const count = counts[at]
  if (limitMs === undefined || count === undefined) return null
  const belowMs = limitsMs[at - 1] ?? limitMs / 2
  const below = counts[at - 1] ?? 0
  // Of calls longer than the last limit it is known that they were, not by how much.
  if (limitMs === Number.POSITIVE_INFINITY) return threeDigits(belowMs)
  return threeDigits(belowMs * (limitMs / belowMs) ** ((rank - below) / (count - below)))
}
