/** How long to wait before an attempt. Pure. */
import type { Backoff } from './options.ts'

/**
 * Milliseconds before the `retry`-th retry, counted from 1. `random` is in [0, 1).
 *
 * Exponential backoff with full jitter: of the ways to spread callers who failed at the same moment
 * this one needs the least work of them and of the service (AWS Architecture Blog, "Exponential
 * Backoff And Jitter").
 */
export function backoffMsOf(backoff: Backoff, retry: number, random: number): number {
  const { initialMs, multiplier, maxMs, jitter } = backoff
  // At most 2^31 * 1000^98, which a number can hold: no Infinity that 0 would turn into NaN.
  const longestMs = Math.min(maxMs, initialMs * multiplier ** (retry - 1))
  return jitter === 'full' ? longestMs * random : longestMs
}
