/** From one fire() to its answer: caches, the call, its events, the fallback. */
import type { Ending, GuardedCalls } from './guarded.ts'
import type { Settings } from './options.ts'
import type { CoalesceResetOn, Events, Open } from './types.ts'

export type Fallback = (...args: Open[]) => Open

/** Emits an event of the circuit. */
export type Tell<TI extends unknown[], TR> = <E extends keyof Events<TI, TR>>(
  event: E,
  ...args: Events<TI, TR>[E]
) => void

/** Where the call's result is to go, apart from its caller. */
interface Kept {
  readonly key: string
  readonly end: (ending: CoalesceResetOn | 'refused') => void
}

export class Firing<TI extends unknown[], TR> {
  fallback: Fallback | undefined
  readonly #action: unknown
  readonly #calls: GuardedCalls
  readonly #settings: Settings
  readonly #tell: Tell<TI, TR>
  readonly #onTimeout: () => void

  constructor(
    action: unknown,
    calls: GuardedCalls,
    settings: Settings,
    tell: Tell<TI, TR>,
    onTimeout: () => void,
  ) {
    this.#action = action
    this.#calls = calls
    this.#settings = settings
    this.#tell = tell
    this.#onTimeout = onTimeout
  }

  /** With nothing around it. */
  async bare(context: unknown, args: TI): Promise<TR> {
    return this.#act(context, args)
  }

  fire(context: unknown, args: TI): Promise<TR> {
    const { cache, coalescing, keyOf } = this.#settings
    if (cache === undefined && coalescing === undefined) return this.#make(context, args)
    try {
      const key = keyOf(args)
      const found = cache?.find(key)
      if (!(found instanceof Promise)) return this.#answer(found, key, context, args)
      return found.then(value => this.#answer(value, key, context, args))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** What is not a function is its own result. */
  #act(context: unknown, args: TI): TR | PromiseLike<TR> {
    const action = this.#action
    return typeof action === 'function' ? Reflect.apply(action, context, args) : (action as TR)
  }

  #answer(
    found: { readonly value: unknown } | undefined,
    key: string,
    context: unknown,
    args: TI,
  ): Promise<TR> {
    const { cache, coalescing } = this.#settings
    if (found !== undefined) {
      this.#tell('cacheHit')
      return Promise.resolve(found.value as TR)
    }
    if (cache !== undefined) this.#tell('cacheMiss')
    if (coalescing === undefined) return this.#make(context, args, { key, end() {} })
    const joined = coalescing.find(key)
    if (joined !== undefined) {
      this.#tell('coalesceCacheHit')
      return joined as Promise<TR>
    }
    this.#tell('coalesceCacheMiss')
    return coalescing.begin(key, end => this.#make(context, args, { key, end }))
  }

  #make(context: unknown, args: TI, kept?: Kept): Promise<TR> {
    return this.#calls.run(
      () => this.#act(context, args),
      ending => this.#conclude(ending, args, kept),
    )
  }

  #conclude(ending: Ending<TR>, args: TI, kept: Kept | undefined): TR | Promise<TR> {
    switch (ending.kind) {
      case 'success':
        kept?.end('success')
        this.#tell('success', ending.value, ending.latencyMs)
        if (kept !== undefined) this.#settings.cache?.keep(kept.key, ending.value)
        return ending.value
      case 'filtered':
        kept?.end('error')
        this.#tell('success', ending.error as TR, ending.latencyMs)
        throw ending.error
      case 'timeout':
        kept?.end('timeout')
        this.#onTimeout()
        this.#tell('timeout', ending.error, ending.latencyMs, args)
        this.#tell('failure', ending.error, ending.latencyMs, args)
        break
      case 'failure':
        kept?.end('error')
        this.#tell('failure', ending.error, ending.latencyMs, args)
        break
      case 'locked':
        kept?.end('refused')
        this.#tell('semaphoreLocked', ending.error)
        break
      case 'reject':
        kept?.end('refused')
        this.#tell('reject', ending.error)
    }
    if (this.fallback === undefined) throw ending.error
    return this.#fallBack(this.fallback, ending.error, args)
  }

  async #fallBack(fallback: Fallback, error: Error, args: TI): Promise<TR> {
    // The transition that the call has made is told first.
    await undefined
    const answer = fallback(...args, error)
    this.#tell('fallback', answer, error)
    return answer
  }
}
