/**
 * When to refuse before the backend does: client-side throttling as in Beyer et al., "Site
 * Reliability Engineering" (2016), chapter 21, "Handling Overload". Pure.
 */
import { THROTTLE_OPTION } from '../memory/controls.ts'
import type { SharedNumbers } from '../options/shared.ts'

export interface ThrottleRule {
  /** Requests sent for each one accepted before any is refused here. */
  readonly k: number
  readonly windowMs: number
  readonly minimumPerSecond: number
  readonly maxProbability: number
}

export function ruleOf(numbers: SharedNumbers): ThrottleRule {
  const at = (option: number): number => numbers[option] as number
  return Object.freeze({
    k: at(THROTTLE_OPTION.K),
    windowMs: at(THROTTLE_OPTION.WINDOW_MS),
    minimumPerSecond: at(THROTTLE_OPTION.MINIMUM_PER_SECOND),
    maxProbability: at(THROTTLE_OPTION.MAX_PROBABILITY),
  })
}

/**
 * max(0, (requests - k accepts) / (requests + 1)), at most `maxProbability`; 0 below the minimum of
 * requests a second. `requests`: all of the window whose outcome is known, refused ones included.
 *
 * A backend that accepts c a second is then sent about k c: where a part p of r requests is
 * refused, p = (r - k c) / r leaves r (1 - p) = k c. The 1 keeps p below 1, so that some always get
 * through and a recovery is noticed. After an outage that left n requests and no accepts in the
 * window, that takes about ln(n) / 1.6 windows at k = 2 (accepts grow by themselves, and those of a
 * window ago leave); with a `maxProbability` of 0.9, less than two.
 */
export function rejectionProbability(
  rule: ThrottleRule,
  requests: number,
  accepts: number,
): number {
  if (requests / (rule.windowMs / 1000) < rule.minimumPerSecond) return 0
  const probability = (requests - rule.k * accepts) / (requests + 1)
  return probability > 0 ? Math.min(probability, rule.maxProbability) : 0
}
