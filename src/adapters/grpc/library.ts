/** What is needed of @grpc/grpc-js: the shapes of its objects, and its numbers. */

/** What is needed of the module. `A`: what calls know of their authentication. */
export interface GrpcShape<C, M, A> {
  readonly InterceptingCall: new (nextCall: CallShape<M, A>) => C
  readonly Metadata: new () => M
}

/** What is needed of an InterceptingCallInterface. */
export interface CallShape<M, A> {
  start(metadata: M, listener?: Partial<ListenerShape<M>>): void
  sendMessageWithContext(context: MessageContext, message: unknown): void
  sendMessage(message: unknown): void
  startRead(): void
  halfClose(): void
  cancelWithStatus(status: number, details: string): void
  getPeer(): string
  getAuthContext(): A | null
}

export interface ListenerShape<M> {
  onReceiveMetadata(metadata: M): void
  onReceiveMessage(message: unknown): void
  onReceiveStatus(status: StatusShape<M>): void
}

/** What is needed of a StatusObject. `cause`: why busbar made this one. */
export interface StatusShape<M> {
  readonly code: number
  readonly details: string
  readonly metadata: M
  readonly cause?: unknown
}

export interface MessageContext {
  readonly callback?: (error?: Error | null) => void
}

/** What interceptors know of a call. Not among it: where its client is connected to. */
export interface CallOptionsShape {
  /** `path`: `/package.Service/Method`. */
  readonly method_definition: { readonly path: string; readonly responseStream: boolean }
  readonly host?: string | undefined
}

// Of google.rpc.Code.
export const CANCELLED = 1
export const UNKNOWN = 2
export const DEADLINE_EXCEEDED = 4
export const RESOURCE_EXHAUSTED = 8
export const INTERNAL = 13
export const UNAVAILABLE = 14
export const DATA_LOSS = 15
