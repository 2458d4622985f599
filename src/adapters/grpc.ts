/**
 * `busbar/grpc` (tested with @grpc/grpc-js 1.14): a client interceptor with a breaker for each
 * service. grpc-js is typed by shape; nothing of it is imported.
 */
import { InvalidOptionError } from '../errors.ts'
import type { KeyedOptions } from '../keyed/options.ts'
import { functionOf } from '../options/read.ts'
import type { Registry } from '../registry.ts'
import { GuardedCall, type Rules } from './grpc/guarded-call.ts'
import {
  type CallOptionsShape,
  type CallShape,
  DATA_LOSS,
  DEADLINE_EXCEEDED,
  type GrpcShape,
  INTERNAL,
  RESOURCE_EXHAUSTED,
  type StatusShape,
  UNAVAILABLE,
  UNKNOWN,
} from './grpc/library.ts'
import { splitOptions } from './split-options.ts'

/** A call's time is its deadline, and it ends with a status, not with an error. */
const WITHOUT = ['classifyError', 'timeoutMs'] as const

export interface GrpcOptions<M> extends Omit<KeyedOptions, 'isFailure' | (typeof WITHOUT)[number]> {
  /** Breakers are named `prefix:key`. Default `'grpc'`. */
  readonly prefix?: string | undefined
  /**
   * Which breaker guards the call. `undefined`: none does. Default: that of the service,
   * `package.Service`; clients of one service at several targets share it, unless each has an
   * interceptor with a prefix of its own.
   */
  readonly key?: GrpcKey | undefined
  /**
   * Whether a status other than CANCELLED, which is ignored, counts as a failure. Default: UNKNOWN,
   * DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL, UNAVAILABLE and DATA_LOSS do. Others are
   * successes.
   */
  readonly isFailure?: ((status: StatusShape<M>) => boolean) | undefined
}

const FAILURES: readonly number[] = [
  UNKNOWN,
  DEADLINE_EXCEEDED,
  RESOURCE_EXHAUSTED,
  INTERNAL,
  UNAVAILABLE,
  DATA_LOSS,
]

type GrpcKey = (options: CallOptionsShape) => string | undefined

type Interceptor<C, M, A> = <O extends CallOptionsShape>(
  options: O,
  nextCall: (options: O) => CallShape<M, A>,
) => C

/**
 * One of the `interceptors` of a client or a call; `grpc` is the module `@grpc/grpc-js`. Those that
 * stand before it, such as one that retries, come to it with each of their attempts.
 *
 * A refused call ends with UNAVAILABLE and goes no further; the CircuitOpenError is the `cause` of
 * that status, and so of the error that the caller is given. Where `isFailure` throws, or there is
 * no room for another breaker, the call ends with INTERNAL and that error as `cause`.
 *
 * A stream is in flight until its end, and as a trial must come to it within `trialTimeoutMs`:
 * leave those that are to stay open unguarded, by `key`.
 *
 * @throws InvalidOptionError
 */
export function breakerInterceptor<C, M, A>(
  registry: Registry,
  grpc: GrpcShape<C, M, A>,
  options: GrpcOptions<M>,
): Interceptor<C, M, A> {
  if (typeof Object(grpc).InterceptingCall !== 'function') {
    throw new InvalidOptionError('grpc', grpc, 'the module @grpc/grpc-js')
  }
  const { own, keyed } = splitOptions(options, ['prefix', 'key', 'isFailure'], WITHOUT)
  const keyOf = (functionOf('options', own, 'key') ?? serviceOf) as GrpcKey
  const isFailure = functionOf('options', own, 'isFailure') ?? isUnwell
  const breakers = registry.keyed((own.get('prefix') ?? 'grpc') as string, keyed)
  const rules = { breakers, isFailure, Metadata: grpc.Metadata } as Rules<M>
  return (of, nextCall) => {
    const key = keyOf(of)
    if (key === undefined) return new grpc.InterceptingCall(nextCall(of))
    if (typeof key !== 'string') {
      throw new InvalidOptionError('key(...)', key, 'a string, or undefined for no breaker')
    }
    const { responseStream } = of.method_definition
    return new grpc.InterceptingCall(
      new GuardedCall(rules, key, responseStream, () => nextCall(of)),
    )
  }
}

function serviceOf({ method_definition: { path } }: CallOptionsShape): string {
  return path.slice(1, path.lastIndexOf('/'))
}

function isUnwell({ code }: StatusShape<unknown>): boolean {
  return FAILURES.includes(code)
}
