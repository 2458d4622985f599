/** busbar/undici: an interceptor for undici 6, 7 and 8 with a breaker for each origin. */
import { InvalidOptionError } from '../errors.ts'
import type { Registry } from '../registry.ts'
import { Exchange, fieldOf } from './http/exchange.ts'
import { type HttpOptions, originOf, readHttpOptions } from './http/options.ts'
import { type Handler, isCurrent, type UndiciResponse, watched } from './undici/handlers.ts'

export type { UndiciResponse } from './undici/handlers.ts'

/** What is needed of a request. */
export interface UndiciRequest {
  readonly origin?: string | URL | undefined
  readonly path: string
  readonly method: string
}

export interface BreakerInterceptorOptions
  extends HttpOptions<[request: UndiciRequest], UndiciResponse> {}

/** A dispatcher's `dispatch`, of whichever version. */
export type Dispatch = (request: never, handler: never) => boolean

type Dispatching = (request: UndiciRequest, handler: object) => boolean

/**
 * An interceptor for `dispatcher.compose()`, with a breaker for each origin. Give it first: what
 * comes after it in `compose` stands outside, so that retries ask the breaker for each attempt, and
 * redirects for each hop. A refusal reaches the caller as CircuitOpenError; fetch makes it the
 * `cause` of its TypeError. undici's retries retry none, as they know no such code.
 *
 * Failures: responses that `isFailure` calls so (by default a status of 500 or more; 4xx and 429
 * are successes), errors of connections, undici's timeouts, and an abort by `AbortSignal.timeout`.
 * Ignored: other aborts, also by destroying the body, a dispatcher that was closed, and what undici
 * finds wrong with a request. `classifyError` may ignore more. No breaker is asked where the signal
 * is aborted already. Upgrades and CONNECT have their verdict when they have their socket.
 *
 * With `verdictAt: 'body'` a body that nobody reads keeps its call in flight, as it keeps its
 * connection: read it, or `dump()` it.
 *
 * In undici 6 and 7 requests of a Client or a Pool name no origin: give these a `key`. The fetch
 * that is built into Node 20 to 24 takes dispatchers of undici 6 and 7 as its `dispatcher`; those
 * of 8 only by `setGlobalDispatcher`.
 *
 * @throws InvalidOptionError
 */
export function breakerInterceptor(
  registry: Registry,
  options: BreakerInterceptorOptions,
): <D extends Dispatch>(dispatch: D) => D {
  const rules = readHttpOptions(registry, options, {
    prefix: 'undici',
    keyOf: keyOfRequest,
    isFailure: ({ statusCode }) => statusCode >= 500,
  })
  const begin = (request: UndiciRequest): Exchange<UndiciResponse> | undefined => {
    if (fieldOf(fieldOf(request, 'signal'), 'aborted') === true) return undefined
    const key = rules.keyOf(request)
    return key === undefined ? undefined : new Exchange(rules, key)
  }
  const guarded = (dispatch: Dispatching): Dispatching => {
    return (request, handler) => {
      let exchange: Exchange<UndiciResponse> | undefined
      try {
        exchange = begin(request)
      } catch (error) {
        return reject(handler as Handler, error)
      }
      if (exchange === undefined) return dispatch(request, handler)
      try {
        return dispatch(request, watched(handler as Handler, exchange))
      } catch (error) {
        throw exchange.fail(error, true)
      }
    }
  }
  return guarded as never
}

function keyOfRequest({ origin }: UndiciRequest): string | undefined {
  if (origin) return originOf(String(origin))
  throw new InvalidOptionError('options.key', origin, 'given where requests name no origin')
}

/** Nothing was sent. True: no `drain` event will follow. */
function reject(handler: Handler, error: unknown): boolean {
  if (isCurrent(handler)) handler.onResponseError?.(null, error)
  else handler.onError?.(error)
  return true
}
