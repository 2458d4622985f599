/** Random calls of controls in a damaged region. */
import { REFUSED } from '../../src/index.ts'
import type { Random } from '../model/random.ts'
import { type Controls, HOSTS } from './words-controls.ts'

export interface ControlCaller {
  readonly random: Random
  readonly controls: Controls
  readonly permits: { readonly throttle: number[]; readonly bulkhead: number[] }
}

/** A permit that was given, or one made up. */
function permitOf(permits: number[], random: Random): number {
  return random.chance(0.05) ? random.pick([-1, 0.5, Number.NaN, 2 ** 40]) : (permits.pop() ?? 0)
}

function ask(permits: number[], permit: number): void {
  if (permit !== REFUSED) permits.push(permit)
}

/** Calls that never throw, whatever stands in the region. */
const CONTROL_CALLS = {
  throttle: ({ controls, permits }: ControlCaller) =>
    ask(permits.throttle, controls.throttle.tryAcquire()),
  accepted: ({ controls, permits, random }: ControlCaller) =>
    controls.throttle.recordAccepted(permitOf(permits.throttle, random)),
  rejected: ({ controls, permits, random }: ControlCaller) =>
    controls.throttle.recordRejected(permitOf(permits.throttle, random)),
  forget: ({ controls, permits, random }: ControlCaller) =>
    controls.throttle.release(permitOf(permits.throttle, random)),
  bulkhead: ({ controls, permits }: ControlCaller) =>
    ask(permits.bulkhead, controls.bulkhead.tryAcquire()),
  release: ({ controls, permits, random }: ControlCaller) =>
    controls.bulkhead.release(permitOf(permits.bulkhead, random)),
  call: ({ controls }: ControlCaller) => controls.budget.recordCall(),
  retry: ({ controls }: ControlCaller) => controls.budget.tryRetry(),
  record: ({ controls, random }: ControlCaller) =>
    controls.hosts.record(random.pick(HOSTS), random.pick(['success', 'failure', 'failure'])),
  another: ({ controls, random }: ControlCaller) =>
    controls.hosts.record(`host ${random.between(0, 20)}`, 'failure'),
  ejected: ({ controls, random }: ControlCaller) => controls.hosts.isEjected(random.pick(HOSTS)),
  pick: ({ controls }: ControlCaller) => controls.hosts.pick(HOSTS),
  look: ({ controls: { throttle, bulkhead, budget, hosts } }: ControlCaller) =>
    [throttle, bulkhead, budget, hosts].map(control => control.snapshot()),
} as const

export function callControl(
  caller: ControlCaller,
  onThrow: (call: string, error: unknown) => void,
): void {
  const call = caller.random.pick(Object.keys(CONTROL_CALLS) as (keyof typeof CONTROL_CALLS)[])
  try {
    CONTROL_CALLS[call](caller)
  } catch (error) {
    onThrow(call, error)
  }
}
