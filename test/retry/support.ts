/** What the tests of `retry` share. */
import { expect, vi } from 'vitest'
import type { Budget, RetryOptions } from '../../src/retry/options.ts'
import type { RetryAttempt } from '../../src/retry/retry.ts'

/** For tests in which waits do not matter: each is the shortest that a timer knows. */
export const AT_ONCE: RetryOptions = Object.freeze({ backoff: { initialMs: 0 } })

/** A function that throws `errors` one after the other, then succeeds. */
export function failing(...errors: unknown[]) {
  return vi.fn(async ({ attempt }: RetryAttempt) => {
    if (attempt <= errors.length) throw errors[attempt - 1]
    return `attempt ${attempt}`
  })
}

/** A function that always throws, each time another error. */
export function dead() {
  return vi.fn(async ({ attempt }: RetryAttempt): Promise<string> => {
    throw new Error(`attempt ${attempt}`)
  })
}

/** Has so many retries, and keeps what it was asked in order. */
export function fakeBudget(retries: number) {
  const asked: string[] = []
  let left = retries
  const budget: Budget = {
    recordCall() {
      asked.push('call')
    },
    tryRetry() {
      asked.push('retry')
      left -= 1
      return left >= 0
    },
  }
  return { budget, asked }
}

/** Whether it has settled once all promise callbacks have run. Needs no timer. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  const note = (): void => {
    settled = true
  }
  promise.then(note, note)
  await new Promise(resolve => setImmediate(resolve))
  return settled
}

/** What a promise rejects with; fails when it does not reject. */
export function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    value => expect.unreachable(`resolved to ${String(value)} instead of rejecting`),
    (error: unknown) => error,
  )
}

/** Runs `body` and fails if it left a rejection that nobody handled. */
export async function withoutUnhandled(body: () => Promise<unknown>): Promise<void> {
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  try {
    await body()
    await new Promise(resolve => setImmediate(resolve))
    expect(unhandled).not.toHaveBeenCalled()
  } finally {
    process.off('unhandledRejection', unhandled)
  }
}
