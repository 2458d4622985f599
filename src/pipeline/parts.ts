/** What a pipeline is made of: its parts, found or made under one name. */
import { CircuitBreaker } from '../breaker.ts'
import { InvalidOptionError } from '../errors.ts'
import { encodeName } from '../options/breaker.ts'
import { type Fields, functionOf, numberOf, readFields, TIMER_DURATION } from '../options/read.ts'
import type { BreakerOptions, LocalOptions } from '../options/types.ts'
import { Bulkhead } from '../overload/bulkhead.ts'
import { RetryBudget } from '../overload/retry-budget.ts'
import { Throttle } from '../overload/throttle.ts'
import type { BulkheadOptions, RetryBudgetOptions, ThrottleOptions } from '../overload/types.ts'
import { type RetryOptions, type RetryPlan, readRetryOptions } from '../retry/options.ts'

/** How a pipeline tries again. */
export interface PipelineRetryOptions extends Omit<RetryOptions, 'budget' | 'signal'> {
  /** One that exists, or the options of the one that has the pipeline's name. */
  readonly budget?: RetryBudget | RetryBudgetOptions | undefined
}

/**
 * The parts of a pipeline, each of which may be left out. One that exists, or the options of the
 * one that has the pipeline's name: `{}` for its defaults.
 */
export interface PipelineOptions extends Pick<LocalOptions, 'isFailure' | 'classifyError'> {
  readonly retry?: PipelineRetryOptions | undefined
  readonly throttle?: Throttle | ThrottleOptions | undefined
  readonly bulkhead?: Bulkhead | BulkheadOptions | undefined
  readonly breaker?: CircuitBreaker | BreakerOptions | undefined
  /** Of each attempt, without its wait in a queue. In ms; default: the breaker's. */
  readonly timeoutMs?: number | undefined
}

/** Whoever makes parts by their names: a registry. */
export interface Maker {
  throttle(name: string, options: ThrottleOptions): Throttle
  bulkhead(name: string, options: BulkheadOptions): Bulkhead
  breaker(name: string, options: BreakerOptions): CircuitBreaker
  retryBudget(name: string, options: RetryBudgetOptions): RetryBudget
}

export interface Parts {
  readonly retry: RetryPlan | undefined
  readonly retryBudget: RetryBudget | undefined
  readonly throttle: Throttle | undefined
  readonly bulkhead: Bulkhead | undefined
  readonly breaker: CircuitBreaker | undefined
  readonly timeoutMs: number | undefined
  readonly isFailure: LocalOptions['isFailure']
  readonly classifyError: LocalOptions['classifyError']
}

const KEYS = ['retry', 'throttle', 'bulkhead', 'breaker', 'timeoutMs', 'isFailure', 'classifyError']
const RETRY_KEYS = ['attempts', 'backoff', 'budget', 'retryOn', 'maxRetryAfterMs']

/** Finds the parts, or makes them. @throws what making them throws, with nothing called */
export function readParts(maker: Maker, name: string, options: PipelineOptions): Parts {
  encodeName(name) // Throws for what is no name, also where no part has it.
  const fields = readFields('options', options, KEYS)
  const timeoutMs = numberOf('options', fields, 'timeoutMs', TIMER_DURATION, Number.NaN)
  const isFailure = functionOf('options', fields, 'isFailure') as Parts['isFailure']
  const classifyError = functionOf('options', fields, 'classifyError') as Parts['classifyError']
  const retry = readRetry(maker, name, fields)
  return Object.freeze({
    ...retry,
    throttle: partOf(fields, 'throttle', Throttle, given => maker.throttle(name, given)),
    bulkhead: partOf(fields, 'bulkhead', Bulkhead, given => maker.bulkhead(name, given)),
    breaker: partOf(fields, 'breaker', CircuitBreaker, given => maker.breaker(name, given)),
    timeoutMs: Number.isNaN(timeoutMs) ? undefined : timeoutMs,
    isFailure,
    classifyError,
  })
}

/** The part that was given, or the one that was described. */
function partOf<P>(
  fields: Fields,
  key: string,
  Part: abstract new (...args: never[]) => P,
  make: (options: object) => P,
): P | undefined {
  const given = fields.get(key)
  if (given === undefined || given instanceof Part) return given
  if (typeof given === 'object' && given !== null) return make(given)
  throw new InvalidOptionError(`options.${key}`, given, `a ${key} or the options of one`)
}

function readRetry(
  maker: Maker,
  name: string,
  fields: Fields,
): Pick<Parts, 'retry' | 'retryBudget'> {
  const given = fields.get('retry')
  if (given === undefined) return { retry: undefined, retryBudget: undefined }
  const retry = readFields('options.retry', given, RETRY_KEYS)
  const budget = partOf(retry, 'budget', RetryBudget, options => maker.retryBudget(name, options))
  return { retry: readRetryOptions({ ...Object.fromEntries(retry), budget }), retryBudget: budget }
}
