/** What a user may give. Every field may be left out; `undefined` counts as left out. */

/** Outcomes of the last `durationMs`, in equal buckets aligned to the registry's time zero. */
export interface TimeWindow {
  readonly type: 'time'
  /** Milliseconds, at least one a bucket. Default 10,000. */
  readonly durationMs?: number | undefined
  /** 1 to 1,024. Default 10. Memory and the cost of a sum grow with it. */
  readonly buckets?: number | undefined
}

/** The last `size` outcomes over all threads, exactly. */
export interface CountWindow {
  readonly type: 'count'
  /** 1 to 16,384. Default 100. */
  readonly size?: number | undefined
}

/** Failures in a row over all threads; a success ends the row. */
export interface ConsecutiveWindow {
  readonly type: 'consecutive'
  /** 1 to 4,095. Default 5. */
  readonly failures?: number | undefined
}

export type SlidingWindow = TimeWindow | CountWindow | ConsecutiveWindow

/** The i-th wait in a row is `min(maxMs, initialMs * multiplier^i)`, times a random factor. */
export interface WaitDuration {
  /** Milliseconds, at least 0. */
  readonly initialMs: number
  /** 1 to 1,000. Default 2. */
  readonly multiplier?: number | undefined
  /** Milliseconds, at least `initialMs`. Default 600,000, or `initialMs` where that is more. */
  readonly maxMs?: number | undefined
  /** 0 to 1: the factor is uniform in [1 - jitter, 1 + jitter]. Default 0. */
  readonly jitter?: number | undefined
}

/** Numbers that stand in the region, the same for every thread. */
export interface SharedOptions {
  /** What the rates are taken over. Default: a time window of 10 s in 10 buckets. */
  readonly slidingWindow?: SlidingWindow | undefined
  /** Opens when this part of the calls failed. In (0, 1]; default 0.5. */
  readonly failureRateThreshold?: number | undefined
  /**
   * Calls in the window before any rate is judged. 1 to 1,000,000; default 20. Above the size of a
   * count window it means that size.
   */
  readonly minimumNumberOfCalls?: number | undefined
  /** A call is slow when it took longer than this. Milliseconds; off unless set. */
  readonly slowCallDurationThresholdMs?: number | undefined
  /** Opens when this part of the calls was slow. In (0, 1]; default 1. */
  readonly slowCallRateThreshold?: number | undefined
  /** How long an open breaker refuses. Milliseconds, at least 0; default 30,000. */
  readonly waitDurationInOpenStateMs?: number | WaitDuration | undefined
  /** Trials that decide about a half-open breaker. 1 to 64; default 3. */
  readonly permittedNumberOfCallsInHalfOpenState?: number | undefined
  /** Judge the trials by their rate of failures, in (0, 1]. Unset: one failed trial opens. */
  readonly halfOpenFailureRateThreshold?: number | undefined
  /** A trial that has not settled after this has failed. Milliseconds; default 60,000. */
  readonly trialTimeoutMs?: number | undefined
  /**
   * Whether a call in flight counts as slow as soon as it has taken longer than
   * `slowCallDurationThresholdMs`, to within a sixteenth of that. Needs that threshold and a time
   * window. Costs two clock readings a call. Default false.
   */
  readonly countHangingCalls?: boolean | undefined
}

/** Functions and policies of the thread that gives them. */
export interface LocalOptions {
  /** Says whether a result is to be counted as a failure. Default: none is. */
  readonly isFailure?: ((result: unknown) => boolean) | undefined
  /**
   * Says what an error counts as. Default: a failure. The caller's own abort and the refusals of
   * any busbar breaker are ignored and never reach it.
   */
  readonly classifyError?: ((error: unknown) => 'failure' | 'ignored') | undefined
  /** A call that takes longer is a failure. Milliseconds, (0, 2^31 - 1]; off unless set. */
  readonly timeoutMs?: number | undefined
  /**
   * Whether `execute` takes the time of every call, for the durations in snapshots and metrics. Two
   * readings of the clock, about 80 ns. Default: where a slow threshold is set, which needs them.
   */
  readonly measureDurations?: boolean | undefined
}

/** The shared options of a breaker, complete; what is off is left out. */
export interface ResolvedOptions {
  readonly slidingWindow: SlidingWindow
  readonly failureRateThreshold: number
  readonly minimumNumberOfCalls: number
  readonly slowCallDurationThresholdMs?: number
  readonly slowCallRateThreshold: number
  readonly waitDurationInOpenStateMs: WaitDuration
  readonly permittedNumberOfCallsInHalfOpenState: number
  readonly halfOpenFailureRateThreshold?: number
  readonly trialTimeoutMs: number
  readonly countHangingCalls: boolean
}

export interface BreakerOptions extends SharedOptions, LocalOptions {
  /** The name of one of the registry's `optionSets`: these options are taken over it. */
  readonly optionSet?: string | undefined
}

/** What `configure` may change: each `null` turns off what need not be set. */
export interface LiveOptions
  extends Omit<
    SharedOptions,
    | 'slidingWindow'
    | 'countHangingCalls'
    | 'slowCallDurationThresholdMs'
    | 'halfOpenFailureRateThreshold'
  > {
  readonly slowCallDurationThresholdMs?: number | null | undefined
  readonly halfOpenFailureRateThreshold?: number | null | undefined
  /** The name of one of the registry's `optionSets`: these options are taken over it. */
  readonly optionSet?: string | undefined
}

export interface RegistryOptions {
  /** Breakers that the region has room for. 1 to 65,536; default 256. */
  readonly maxBreakers?: number | undefined
  /**
   * Throttles, bulkheads, retry budgets, host groups and hosts that it has room for, together.
   * 1 to 65,536; default 256.
   */
  readonly maxControls?: number | undefined
  /**
   * Threads that get a slot of their own. 1 to 1,023; default 64. Further ones share one slot:
   * slower, still right.
   */
  readonly maxThreads?: number | undefined
  /**
   * A thread that spares all others the reading of their clocks, adds up for cheap reads and takes
   * over what the dead left. Nothing needs it. Only the main thread can start one; it ends when the
   * registries of the main thread on this region are closed. `tickMs`: 1 to 1,000, default 5.
   * Default: true on the main thread, unless the clock is manual.
   */
  readonly keeper?: boolean | { readonly tickMs?: number | undefined } | undefined
  /**
   * What carries out permits and outcomes. `'wasm'`: a WebAssembly module, about twice as fast; the
   * region then stands in a shared WebAssembly.Memory, with 0.1 MB more for each of `maxThreads`.
   * Everything else is the same. Default `'js'`.
   */
  readonly kernel?: 'js' | 'wasm' | undefined
  /** `'manual'` makes time stand still until `registry.advance(ms)`, for tests. */
  readonly clock?: 'monotonic' | 'manual' | undefined
  /**
   * For breakers made through this region, in every thread. Its functions cannot leave this
   * thread: they hold for the breakers of this registry object.
   */
  readonly defaults?: BreakerOptions | undefined
  /**
   * Shared options by name, known in every thread: for `optionSet` in the options of breakers and
   * in `configure`. Names are free.
   */
  readonly optionSets?: Readonly<Record<string, SharedOptions>> | undefined
  /**
   * What `export()` of an earlier registry gave, as it is or through JSON: each breaker has its
   * state from there when it is made by name, whichever thread makes it and with whatever options.
   */
  readonly import?: RegistryImport | undefined
}

export type ExportedState = 'open' | 'forced-open' | 'disabled' | 'metrics-only'

/** A breaker that was not closed. */
export interface ExportedBreaker {
  readonly name: string
  /** One that was half-open is open with its wait over: its trials ended with their process. */
  readonly state: ExportedState
  /** Openings since it was last closed: they say how long the next wait is. */
  readonly openings: number
  /** What was left of the wait, or of the `ttlMs` of forced-open; left out: no end. */
  readonly remainingMs?: number
  /** What was said with the command. */
  readonly reason?: string
}

/** The states of a registry, to be kept as JSON. No times but what remains of waits. */
export interface RegistryExport {
  /** The format. */
  readonly busbar: number
  readonly breakers: readonly ExportedBreaker[]
}

export interface RegistryImport extends RegistryExport {
  /**
   * Milliseconds since the export, where you know: waits go on as if it had been imported at once.
   * Default 0: what remained then remains now, so no wait is shorter than it should be.
   */
  readonly ageMs?: number | undefined
}
