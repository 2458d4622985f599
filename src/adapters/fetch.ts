/** busbar/fetch: fetch with a breaker for each origin. */
import { finished } from 'node:stream'
import { InvalidOptionError, isRefusal } from '../errors.ts'
import type { Registry } from '../registry.ts'
import { Exchange, fieldOf, isTimeout } from './http/exchange.ts'
import { type HttpOptions, originOf, readHttpOptions } from './http/options.ts'

/** What is needed of a response. */
export interface FetchResponse {
  readonly status: number
  readonly headers: { get(name: string): string | null }
  readonly body: unknown
}

/** Node's fetch, undici's, or another that resolves to responses of their kind. */
export type Fetch = (input: never, init?: never) => Promise<FetchResponse>

/** What is needed of an AbortSignal. */
type Signal = Pick<AbortSignal, 'aborted' | 'reason'>
type Input = [input: unknown, init?: unknown]

export interface GuardedFetchOptions<F extends Fetch = typeof globalThis.fetch>
  extends HttpOptions<Parameters<F>, Awaited<ReturnType<F>>> {
  /** What makes the calls. Default: the global fetch, as it is when a call is made. */
  readonly fetch?: F | undefined
}

/**
 * fetch with a breaker for each origin: the same arguments, the same responses. Rejects as fetch
 * does, and with CircuitOpenError when refused.
 *
 * Failures: responses that `isFailure` calls so (by default a status of 500 or more; 4xx and 429
 * are successes), network errors, and an abort by `AbortSignal.timeout`. Ignored: other aborts, and
 * what fetch rejects without a request. `classifyError` may ignore more. No breaker is asked where
 * the signal is aborted already: there will be no request.
 *
 * With `verdictAt: 'body'` too the response is fetch's own: its stream is watched, not replaced. A
 * body that is cancelled, also by leaving a loop over it, counts as whole. One that is not read
 * keeps its call in flight, as it keeps its connection: read it or cancel it. Dropped, it counts as
 * whole once it has been collected as garbage. Verdicts come within a turn of the loop.
 *
 * @throws InvalidOptionError
 */
export function guardedFetch<F extends Fetch = typeof globalThis.fetch>(
  registry: Registry,
  options: GuardedFetchOptions<F>,
): F {
  const rules = readHttpOptions<Input, FetchResponse>(
    registry,
    options as unknown as HttpOptions<Input, FetchResponse>,
    {
      prefix: 'fetch',
      keyOf: keyOfInput,
      isFailure: ({ status }) => status >= 500,
      keys: ['fetch'],
    },
  )
  const { fetch } = options
  if (fetch !== undefined && typeof fetch !== 'function') {
    throw new InvalidOptionError('options.fetch', fetch, 'a function')
  }
  const guarded = async (...request: Input): Promise<FetchResponse> => {
    const call = (fetch ?? globalThis.fetch) as (...request: Input) => Promise<FetchResponse>
    const signal = signalOf(...request)
    const key = signal?.aborted ? undefined : rules.keyOf(...request)
    if (key === undefined) return call(...request)
    const exchange = new Exchange(rules, key)
    try {
      const response = await call(...request)
      if (exchange.respond(response)) watch(response, exchange, signal)
      return response
    } catch (error) {
      throw exchange.fail(error, isOurs(error, signal))
    }
  }
  return guarded as unknown as F
}

/** A string, a URL, or a Request. */
function keyOfInput(input: unknown): string | undefined {
  return originOf(String(fieldOf(input, 'url') ?? input))
}

/** As fetch does: that of `init` before the Request's own; null is none. */
function signalOf(input: unknown, init?: unknown): Signal | null | undefined {
  const given = fieldOf(init, 'signal')
  return (given === undefined ? fieldOf(input, 'signal') : given) as Signal | null | undefined
}

/** Whether the caller gave up, and not because the time was over. */
function isGivenUp(signal: Signal | null | undefined): boolean {
  return signal?.aborted === true && !isTimeout(signal.reason)
}

/** Whether a call that was rejected says nothing about the dependency. */
function isOurs(error: unknown, signal: Signal | null | undefined): boolean {
  const cause = fieldOf(error, 'cause')
  return isGivenUp(signal) || isRefusal(cause) || (cause === undefined && isMistake(error))
}

/** Whether fetch refused its arguments. Network errors are TypeErrors too, but have a cause. */
function isMistake(error: unknown): boolean {
  return fieldOf(error, 'name') === 'TypeError' && fieldOf(error, 'message') !== 'fetch failed'
}

type FetchExchange = Exchange<FetchResponse>

/** A courtesy: whose body is collected will hear no more of it. */
const dropped = new FinalizationRegistry<FetchExchange>(exchange => exchange.complete())

function watch(
  { body, headers }: FetchResponse,
  exchange: FetchExchange,
  signal: Signal | null | undefined,
): void {
  // An empty one is a stream like others, but need not be read.
  if (!(body instanceof ReadableStream) || headers.get('content-length') === '0') {
    exchange.complete()
    return
  }
  dropped.register(body, exchange)
  // Takes no lock: whoever reads it, the whole of it or its clone, in whatever way.
  finished(body as unknown as NodeJS.ReadableStream, error => {
    if (error) exchange.fail(error, isGivenUp(signal))
    else exchange.complete()
  })
}
