/** The errors of opossum's calls: by their messages and codes, with busbar's own as `cause`. */

type OpossumErrorCode = 'EOPENBREAKER' | 'ETIMEDOUT' | 'ESEMLOCKED' | 'ESHUTDOWN'

/** Called Error, as opossum's are. */
class OpossumError extends Error {
  readonly code: OpossumErrorCode

  constructor(message: string, code: OpossumErrorCode, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** Says what refused, not where a bug is: without a stack trace, which costs microseconds. */
function refusal(message: string, code: OpossumErrorCode, cause?: unknown): Error {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  const error = new OpossumError(message, code, cause)
  Error.stackTraceLimit = limit
  return error
}

export function openError(cause?: unknown): Error {
  return refusal('Breaker is open', 'EOPENBREAKER', cause)
}

export function lockedError(): Error {
  return refusal('Semaphore locked', 'ESEMLOCKED')
}

export function shutdownError(): Error {
  return refusal('The circuit has been shutdown.', 'ESHUTDOWN')
}

export function timeoutError(timeoutMs: number, cause: unknown): Error {
  return new OpossumError(`Timed out after ${timeoutMs}ms`, 'ETIMEDOUT', cause)
}

/** Whether a breaker made the error, and not the action. */
export function isOurError(error: unknown): boolean {
  return error instanceof OpossumError
}

/** Whether the call that it ended was not made. */
export function isOurRefusal(error: unknown): boolean {
  return error instanceof OpossumError && error.code !== 'ETIMEDOUT'
}
