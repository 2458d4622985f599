/** What a user may give to controls. Every field may be left out unless it says otherwise. */
import type { LocalOptions } from '../options/types.ts'

export interface ThrottleOptions extends Pick<LocalOptions, 'isFailure' | 'classifyError'> {
  /**
   * How many requests are sent for each one that the backend accepts, before any is refused here.
   * 1 to 1,000; default 2. Less refuses earlier and saves the backend more; more notices its
   * recovery sooner.
   */
  readonly k?: number | undefined
  /** What requests and accepts are counted over. Milliseconds, 10 to a day; default 120,000. */
  readonly windowMs?: number | undefined
  /**
   * Below so many requests a second over the whole window, all threads together, nothing is
   * refused. 0 to 1,000,000; default 1.
   */
  readonly minimumRequestsPerSecond?: number | undefined
  /** It refuses with this probability at the most. In (0, 1]; default 1. */
  readonly maxRejectionProbability?: number | undefined
}

export interface BulkheadOptions {
  /** Calls in flight at the most, over all threads. 1 to 4,096. Must be given by who makes it. */
  readonly maxConcurrentCalls?: number | undefined
  /** Calls that may wait for a place, over all threads. 0 to 4,096; default 0. */
  readonly maxQueuedCalls?: number | undefined
  /** For how long a call waits at the most. Milliseconds, (0, 2^31 - 1]; default 1,000. */
  readonly maxWaitMs?: number | undefined
}

export interface RetryBudgetOptions {
  /** Retries for each call, over all threads and the last 10 s. 0 to 1,000; default 0.2. */
  readonly ratio?: number | undefined
  /** Retries a second that are allowed on top. 0 to 1,000,000; default 3. */
  readonly minimumPerSecond?: number | undefined
}

export interface HostGroupOptions {
  /** Failures in a row over all threads that eject a host. 0 to 4,095, 0: off; default 5. */
  readonly consecutiveFailures?: number | undefined
  /** How often hosts are compared with each other. Milliseconds, at least 10; default 10,000. */
  readonly intervalMs?: number | undefined
  /** How long the first ejection lasts. Milliseconds; default 30,000. */
  readonly baseEjectionMs?: number | undefined
  /** The longest ejection. Milliseconds, at least `baseEjectionMs`; default 300,000. */
  readonly maxEjectionMs?: number | undefined
  /** 0 to 1: up to this part of it is added at random to an ejection. Default 0. */
  readonly jitter?: number | undefined
  /** Of the hosts that may be ejected at a time; one may always be. 0 to 100; default 10. */
  readonly maxEjectionPercent?: number | undefined
  /** Ejects hosts whose success rate is far below that of the others. */
  readonly successRate?: SuccessRateOptions | undefined
  /** Ejects hosts most of whose calls fail. */
  readonly failurePercentage?: FailurePercentageOptions | undefined
}

export interface SuccessRateOptions {
  /** A host goes below mean - stdevFactor * standard deviation. 0 to 100, 0: off; default 1.9. */
  readonly stdevFactor?: number | undefined
  /** Hosts that must have `requestVolume` for any to be compared. Default 5. */
  readonly minimumHosts?: number | undefined
  /** Calls in an interval that a host must have had. Default 100. */
  readonly requestVolume?: number | undefined
}

export interface FailurePercentageOptions {
  /** A host goes whose calls failed to this part or more. 0 to 1, 0: off; default 0.85. */
  readonly threshold?: number | undefined
  /** Hosts that must have `requestVolume` for any to be judged. Default 5. */
  readonly minimumHosts?: number | undefined
  /** Calls in an interval that a host must have had. Default 50. */
  readonly requestVolume?: number | undefined
}
