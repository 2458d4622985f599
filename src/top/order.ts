/** Trouble first, and no jumping about: as the dashboard's page orders its rows. Pure. */

export interface Standing {
  readonly rank: number
  /** How long it holds when things get better. */
  readonly until: number
}

interface Ordered {
  readonly name: string
  readonly state: string
  readonly failures: number
  readonly failureRate: number | null
  readonly slowCallRate: number | null
  readonly introduction: {
    readonly failuresInARow: number | null
    readonly failureRateThreshold: number
    readonly slowCallRateThreshold: number
  }
}

const RANKS: Readonly<Record<string, number>> = { open: 0, 'forced-open': 1, 'half-open': 2 }
const NEAR = 3
const CALM = 4
/** Near its threshold from this part of it up ... */
const ENTER = 0.75
/** ... until it falls below this one. */
const LEAVE = 0.5
const KEEP_MS = 5_000

/** How near its thresholds a breaker is: 1 is there. */
export function strainOf({ failureRate, slowCallRate, failures, introduction }: Ordered): number {
  const { failuresInARow, failureRateThreshold, slowCallRateThreshold } = introduction
  if (failuresInARow !== null) return failures / failuresInARow
  return Math.max(
    (failureRate ?? 0) / failureRateThreshold,
    (slowCallRate ?? 0) / slowCallRateThreshold,
  )
}

/** Worse counts at once, better only after a while. */
export function standingOf(breaker: Ordered, now: number, before: Standing): Standing {
  const isNear = strainOf(breaker) >= (before.rank === NEAR ? LEAVE : ENTER)
  const rank = RANKS[breaker.state] ?? (isNear ? NEAR : CALM)
  if (rank > before.rank && now < before.until) return before
  return { rank, until: now + KEEP_MS }
}

const names = new Intl.Collator('en', { numeric: true })

export function compare(
  one: { readonly name: string; readonly standing: Standing },
  other: { readonly name: string; readonly standing: Standing },
): number {
  return one.standing.rank - other.standing.rank || names.compare(one.name, other.name)
}
