/**
 * `busbar/axios` (tested with axios 1.21): breakers in the adapter, which makes the request, so
 * interceptors and transforms stay outside. axios is typed by shape; nothing of it is imported.
 */
import { InvalidOptionError } from '../errors.ts'
import type { Registry } from '../registry.ts'
import { Exchange, fieldOf, isTimeout } from './http/exchange.ts'
import { type HttpOptions, originOf, readHttpOptions } from './http/options.ts'

/** What is needed of a request's config. */
export interface AxiosConfig {
  readonly url?: string | undefined
  readonly baseURL?: string | undefined
  readonly allowAbsoluteUrls?: boolean | undefined
  readonly socketPath?: string | null | undefined
}

/** What is needed of a response. */
export interface AxiosAnswer {
  readonly status: number
  readonly headers: unknown
}

export type GuardedAdapterOptions<C, R> = Omit<HttpOptions<[config: C], R>, 'verdictAt'>

/**
 * `adapter`, which `axios.getAdapter('http')` gives, with a breaker for each origin, or for each
 * `socketPath`. The verdict stands when it settles: after the body, with `responseType: 'stream'`
 * after the headers.
 *
 * Failures: answers that `isFailure` calls so, whatever `validateStatus` makes of them (by default
 * a status of 500 or more; 4xx and 429 are successes), network errors, axios's `timeout`, and an
 * abort by `AbortSignal.timeout`. Ignored: other cancellations, and configs that axios makes no
 * request of. `classifyError` may ignore more.
 *
 * Rejects as `adapter` does, and with CircuitOpenError when refused. Interceptors are given that
 * too: it is no AxiosError, and has neither `config` nor `response`.
 *
 * @throws InvalidOptionError
 */
export function guardedAdapter<C extends AxiosConfig, R extends AxiosAnswer>(
  registry: Registry,
  adapter: (config: C) => PromiseLike<R>,
  options: GuardedAdapterOptions<C, R>,
): (config: C) => Promise<R> {
  if (typeof adapter !== 'function') {
    throw new InvalidOptionError('adapter', adapter, 'a function, as axios.getAdapter() gives')
  }
  const verdictAt = fieldOf(options, 'verdictAt')
  if (verdictAt !== undefined) {
    throw new InvalidOptionError('options.verdictAt', verdictAt, 'left out: axios reads bodies')
  }
  const rules = readHttpOptions<[config: C], R>(registry, options, {
    prefix: 'axios',
    keyOf: keyOfConfig,
    isFailure: ({ status }) => status >= 500,
  })
  return async config => {
    const key = rules.keyOf(config)
    if (key === undefined) return adapter(config)
    const exchange = new Exchange(rules, key)
    try {
      const response = await adapter(config)
      exchange.respond(response)
      return response
    } catch (error) {
      const answer = answerIn(error) as R | undefined
      if (answer !== undefined) exchange.respond(answer)
      throw exchange.fail(error, isOurs(error))
    }
  }
}

/** As axios puts addresses together: `baseURL` before all that have no authority. */
function keyOfConfig(config: AxiosConfig): string | undefined {
  const { url = '', baseURL, allowAbsoluteUrls, socketPath } = config
  if (socketPath) return socketPath
  const isWhole = /^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(url) && allowAbsoluteUrls !== false
  return originOf(baseURL && !isWhole ? baseURL : url)
}

/** The answer that `validateStatus` made an error of. One without data broke off. */
function answerIn(error: unknown): unknown {
  const response = Object(fieldOf(error, 'response'))
  return 'data' in response ? response : undefined
}

/** axios's codes for configs that it makes no request of. */
const MISTAKES: readonly unknown[] = [
  'ERR_BAD_OPTION',
  'ERR_BAD_OPTION_VALUE',
  'ERR_BAD_REQUEST',
  'ERR_FORM_DATA_DEPTH_EXCEEDED',
  'ERR_INVALID_URL',
  'ERR_NOT_SUPPORT',
]

/** Whether the dependency has no part in it. */
function isOurs(error: unknown): boolean {
  if (fieldOf(error, '__CANCEL__') !== true) return MISTAKES.includes(fieldOf(error, 'code'))
  const signal = fieldOf(fieldOf(error, 'config'), 'signal')
  return !isTimeout(fieldOf(signal, 'reason'))
}
