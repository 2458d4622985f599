/** A call that asks its breaker when it starts, and tells it what came of it with its status. */
import { InvalidOptionError, isRefusal } from '../../errors.ts'
import type { KeyedBreakers } from '../../keyed/keyed.ts'
import { Attempt } from '../attempt.ts'
import {
  CANCELLED,
  type CallShape,
  INTERNAL,
  type ListenerShape,
  type MessageContext,
  type StatusShape,
  UNAVAILABLE,
} from './library.ts'

/** What all calls of an interceptor have in common. */
export interface Rules<M> {
  readonly breakers: KeyedBreakers
  readonly isFailure: (status: StatusShape<M>) => boolean
  readonly Metadata: new () => M
}

/**
 * Makes its next call when it starts. Interceptors before it may delay that, so what does not wait
 * for the start is kept: a read, and a cancellation.
 */
export class GuardedCall<M, A> implements CallShape<M, A> {
  readonly #rules: Rules<M>
  readonly #key: string
  readonly #responseStream: boolean
  readonly #nextCall: () => CallShape<M, A>
  #next: CallShape<M, A> | undefined
  #readsAtStart = false
  #endsAtStart: StatusShape<M> | undefined

  constructor(
    rules: Rules<M>,
    key: string,
    responseStream: boolean,
    nextCall: () => CallShape<M, A>,
  ) {
    this.#rules = rules
    this.#key = key
    this.#responseStream = responseStream
    this.#nextCall = nextCall
  }

  start(metadata: M, listener: ListenerShape<M>): void {
    const attempt = this.#endsAtStart ?? this.#attempt()
    if (attempt instanceof Attempt) this.#startNext(attempt, metadata, listener)
    else this.#end(listener, attempt)
  }

  /** What permits the call, or how it ends without. */
  #attempt(): Attempt | StatusShape<M> {
    try {
      return new Attempt(this.#rules.breakers.breaker(this.#key))
    } catch (error) {
      return this.#statusOf(error)
    }
  }

  #startNext(attempt: Attempt, metadata: M, listener: ListenerShape<M>): void {
    try {
      this.#next = this.#nextCall()
      this.#next.start(metadata, {
        onReceiveMetadata: received => listener.onReceiveMetadata(received),
        onReceiveMessage: message => listener.onReceiveMessage(message),
        onReceiveStatus: status => listener.onReceiveStatus(this.#judge(attempt, status)),
      })
    } catch (error) {
      // Nothing was sent; the channel was closed, say.
      attempt.ignore(error)
      throw error
    }
    if (this.#readsAtStart) this.#next.startRead()
  }

  /** Settles the attempt. What the caller is to be given. */
  #judge(attempt: Attempt, status: StatusShape<M>): StatusShape<M> {
    try {
      if (status.code === CANCELLED || isRefusal(status.cause)) attempt.ignore(status)
      else if (this.#isFailure(status)) attempt.fail(status)
      else attempt.succeed()
      return status
    } catch (error) {
      attempt.fail(error)
      return this.#statusOf(error)
    }
  }

  #isFailure(status: StatusShape<M>): boolean {
    const answer: unknown = this.#rules.isFailure(status)
    if (typeof answer === 'boolean') return answer
    throw new InvalidOptionError('isFailure(status)', answer, 'true or false')
  }

  #statusOf(cause: unknown): StatusShape<M> {
    const code = isRefusal(cause) ? UNAVAILABLE : INTERNAL
    const details = cause instanceof Error ? cause.message : String(cause)
    return { code, details, metadata: new this.#rules.Metadata(), cause }
  }

  /** As a call ends that got no answer. Not at once: its caller has yet to listen to it. */
  #end(listener: ListenerShape<M>, status: StatusShape<M>): void {
    process.nextTick(() => {
      if (!this.#responseStream) listener.onReceiveMessage(null)
      listener.onReceiveStatus(status)
    })
  }

  sendMessageWithContext(context: MessageContext, message: unknown): void {
    if (this.#next !== undefined) this.#next.sendMessageWithContext(context, message)
    // Of a call that has ended: dropped, so that who writes comes to an end.
    else process.nextTick(() => context.callback?.())
  }

  sendMessage(message: unknown): void {
    this.sendMessageWithContext({}, message)
  }

  startRead(): void {
    if (this.#next !== undefined) this.#next.startRead()
    else this.#readsAtStart = true
  }

  halfClose(): void {
    this.#next?.halfClose()
  }

  cancelWithStatus(code: number, details: string): void {
    if (this.#next !== undefined) this.#next.cancelWithStatus(code, details)
    else this.#endsAtStart = { code, details, metadata: new this.#rules.Metadata() }
  }

  getPeer(): string {
    return this.#next?.getPeer() ?? 'unknown'
  }

  getAuthContext(): A | null {
    return this.#next?.getAuthContext() ?? null
  }
}
