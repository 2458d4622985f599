/** What the adapters for HTTP clients may be given, and what they make of it. */
import { InvalidOptionError } from '../../errors.ts'
import type { KeyedBreakers } from '../../keyed/keyed.ts'
import type { KeyedOptions } from '../../keyed/options.ts'
import { type Fields, functionOf, numberOf, POSITIVE_DURATION } from '../../options/read.ts'
import type { Registry } from '../../registry.ts'
import { splitOptions } from '../split-options.ts'

/** `Request`: the arguments of a call. `Response`: what is judged. */
export interface HttpOptions<Request extends readonly unknown[], Response>
  extends Omit<KeyedOptions, 'isFailure' | 'timeoutMs'> {
  /** Breakers are named `prefix:key`. Default: the adapter's name. */
  readonly prefix?: string | undefined
  /**
   * Which breaker guards a call. `undefined`: none does. Default: the one of the URL's origin, and
   * none where the URL is not one of http or https.
   */
  readonly key?: ((...request: Request) => string | undefined) | undefined
  /** Whether a response counts as a failure. Default: a status of 500 or more does. */
  readonly isFailure?: ((response: Response) => boolean) | undefined
  /**
   * When a response that is no failure counts as a success: with its headers, or once its body has
   * come in whole; one that breaks off is then a failure. With `'body'` a call is in flight until
   * then, durations are those until then, and a trial must get there within `trialTimeoutMs`: wrong
   * for bodies without an end, such as event streams. Default `'headers'`.
   */
  readonly verdictAt?: 'headers' | 'body' | undefined
  /**
   * Honours `Retry-After`: where a failure carries it and the breaker is open by then, it refuses
   * for at least as long, but because of it for no longer than so many milliseconds. It is forced
   * open for that time; a longer wait that runs already stays. Off unless set.
   */
  readonly maxRetryAfterMs?: number | undefined
}

/** The options, complete. */
export interface HttpRules<Request extends readonly unknown[], Response> {
  readonly breakers: KeyedBreakers
  readonly keyOf: (...request: Request) => string | undefined
  readonly isFailure: (response: Response) => boolean
  readonly awaitsBody: boolean
  /** 0: not honoured. */
  readonly maxRetryAfterMs: number
}

interface Adapter<Request extends readonly unknown[], Response> {
  readonly prefix: string
  readonly keyOf: (...request: Request) => string | undefined
  readonly isFailure: (response: Response) => boolean
  /** The names of its own options, which it reads itself. */
  readonly keys?: readonly string[]
}

const HTTP_KEYS = ['prefix', 'key', 'isFailure', 'verdictAt', 'maxRetryAfterMs']

export function readHttpOptions<Request extends readonly unknown[], Response>(
  registry: Registry,
  options: HttpOptions<Request, Response>,
  { prefix, keyOf, isFailure, keys = [] }: Adapter<Request, Response>,
): HttpRules<Request, Response> {
  // Clients have timeouts and signals of their own.
  const { own, keyed } = splitOptions(options, [...HTTP_KEYS, ...keys], ['timeoutMs'])
  const key = functionOf('options', own, 'key') as typeof keyOf | undefined
  const predicate = functionOf('options', own, 'isFailure') as typeof isFailure | undefined
  return {
    keyOf: key ?? keyOf,
    isFailure: predicate ?? isFailure,
    awaitsBody: readVerdictAt(own) === 'body',
    maxRetryAfterMs: numberOf('options', own, 'maxRetryAfterMs', POSITIVE_DURATION, 0),
    breakers: registry.keyed(readPrefix(own) ?? prefix, keyed),
  }
}

function readPrefix(fields: Fields): string | undefined {
  const prefix = fields.get('prefix')
  if (prefix === undefined || typeof prefix === 'string') return prefix
  throw new InvalidOptionError('options.prefix', prefix, 'a string')
}

function readVerdictAt(fields: Fields): unknown {
  const verdictAt = fields.get('verdictAt')
  if (verdictAt === undefined || verdictAt === 'headers' || verdictAt === 'body') return verdictAt
  throw new InvalidOptionError('options.verdictAt', verdictAt, "'headers' or 'body'")
}

/** The origin of an address of http or https. */
export function originOf(url: string): string | undefined {
  try {
    const { protocol, origin } = new URL(url)
    return protocol === 'http:' || protocol === 'https:' ? origin : undefined
  } catch {
    return undefined
  }
}
