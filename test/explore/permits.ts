/** Whether a permit is a trial, and whose. */
import { FIRST_TRIAL_PERMIT, isLowOf, unpackTrialPermit } from '../../src/memory/words/trials.ts'

export function isTrial(permit: number): boolean {
  return permit >= FIRST_TRIAL_PERMIT
}

export function isTrialOf(permit: number, generation: number): boolean {
  return isTrial(permit) && isLowOf(unpackTrialPermit(permit).generationLow, generation)
}
