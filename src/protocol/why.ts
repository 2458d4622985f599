/** What a transition came of, in words. Pure. */
import { OPTION, WINDOW_CONSECUTIVE } from '../memory/layout.ts'
import type { State } from '../memory/words/state.ts'
import type { SharedNumbers } from '../options/shared.ts'

interface Rates {
  readonly failureRate: number | null
  readonly slowCallRate: number | null
}

/** Commands that nobody gave a reason for are 'by hand'; so is what can come of one alone. */
export function reasonFor(
  from: State,
  to: State,
  byHand: boolean,
  rates: Rates | undefined,
  numbers: SharedNumbers,
): string {
  if (byHand) return 'by hand'
  if (to === 'half-open') return 'wait over'
  if (from === 'half-open' && to === 'closed') return 'trials succeeded'
  if (from === 'half-open' && to === 'open') return 'trials failed'
  if (from !== 'closed' || to !== 'open') return 'by hand'
  if (numbers[OPTION.WINDOW] === WINDOW_CONSECUTIVE) return 'failures in a row'
  const limit = numbers[OPTION.FAILURE_RATE] as number
  return (rates?.failureRate ?? 1) >= limit ? 'failure rate' : 'slow call rate'
}
