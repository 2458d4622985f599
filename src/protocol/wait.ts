/** How long an opening waits (spec 2.5). Pure. */
import { OPTION } from '../memory/layout.ts'
import type { SharedNumbers } from '../options/shared.ts'

/**
 * The wait of the `opening`-th opening in a row, counted from 0, in ms.
 *
 * The random factor is drawn from a hash of the breaker's seed and the generation that begins, so
 * that every thread that helps to publish one opening computes one wait.
 */
export function waitMsOf(
  numbers: SharedNumbers,
  opening: number,
  seed: number,
  generation: number,
): number {
  const initialMs = numbers[OPTION.WAIT_INITIAL_MS] as number
  const maxMs = numbers[OPTION.WAIT_MAX_MS] as number
  const jitter = numbers[OPTION.WAIT_JITTER] as number
  // 0 * Infinity is NaN, and a wait of 0 stays 0 however often it is multiplied.
  const grown =
    initialMs > 0 ? initialMs * (numbers[OPTION.WAIT_MULTIPLIER] as number) ** opening : 0
  const waitMs = Math.min(maxMs, grown)
  return jitter > 0 ? waitMs * (1 - jitter + 2 * jitter * uniform(seed ^ generation)) : waitMs
}

/** No opening waits longer than this, a microsecond of rounding included. */
export function longestWaitMsOf(numbers: SharedNumbers): number {
  const maxMs = numbers[OPTION.WAIT_MAX_MS] as number
  return maxMs * (1 + (numbers[OPTION.WAIT_JITTER] as number)) + 0.001
}

/** A number in [0, 1) that depends on `x` alone. Finalizer of MurmurHash3, 32 bits. */
export function uniform(x: number): number {
  let h = x | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32
}
