/** Refusals and everything asynchronous around them: rejections, contexts, hooks. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeBrittle, makeOpen, nextMacrotask, rejectionOf } from './execute-support.ts'

const run = promisify(execFile)
const LIMIT_MS = 20_000

describe('a promise that nobody awaits', () => {
  let listeners: NodeJS.UnhandledRejectionListener[] = []
  const unhandled = vi.fn()
  beforeEach(() => {
    // The test runner's own would take it for a failure.
    listeners = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', unhandled)
  })
  afterEach(() => {
    process.removeAllListeners('unhandledRejection')
    for (const listener of listeners) process.on('unhandledRejection', listener)
    unhandled.mockReset()
  })

  it('of a refusal raises no unhandledRejection, not even the first', async () => {
    const { registry, breaker } = makeOpen()
    for (let call = 0; call < 10; call++) breaker.execute(() => 'value')
    breaker.forceOpen()
    breaker.wrap(() => 'value')()
    await nextMacrotask()
    breaker.reset()
    breaker.open()
    breaker.execute(() => 'value')
    registry.advance(500)
    breaker.execute(() => 'value', { timeoutMs: 10, signal: new AbortController().signal })
    await nextMacrotask()
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('but is handed on raises one, of whoever handed it on', async () => {
    const { breaker } = makeOpen()
    const handOn = async (): Promise<unknown> => await breaker.execute(() => 'value')
    const promise = handOn()
    await nextMacrotask()
    const error = await rejectionOf(breaker.execute(() => 'value'))
    expect(unhandled.mock.calls).toEqual([[error, promise]])
  })

  it('of a call that fails raises one, every time', async () => {
    const boom = new Error('boom')
    const { breaker } = makeBrittle({ slidingWindow: { type: 'consecutive', failures: 10 } })
    const promises = [1, 2, 3].map(() => breaker.execute(() => Promise.reject(boom)))
    await nextMacrotask()
    expect(unhandled.mock.calls).toEqual(promises.map(promise => [boom, promise]))
  })

  it('of an abort before the call raises one', async () => {
    const { breaker } = makeOpen()
    const promise = breaker.execute(() => 'value', { signal: AbortSignal.abort('over') })
    await nextMacrotask()
    expect(unhandled.mock.calls).toEqual([['over', promise]])
  })
})

describe('async contexts', () => {
  it('hundreds that await the same promise keep what is theirs', async () => {
    const storage = new AsyncLocalStorage<number>()
    const { breaker } = makeOpen()
    const refused = async (): Promise<unknown[]> => {
      const seen: unknown[] = [storage.getStore()]
      await breaker.execute(() => 'value').catch(() => seen.push(storage.getStore()))
      try {
        await breaker.execute(() => 'value')
      } catch {
        seen.push(storage.getStore())
      }
      await breaker
        .execute(() => 'value')
        .finally(() => seen.push(storage.getStore()))
        .then(undefined, () => seen.push(storage.getStore()))
      await breaker.execute<unknown>(() => 'value', {
        fallback: () => seen.push(storage.getStore()),
      })
      return seen
    }
    const contexts = Array.from({ length: 500 }, (_, context) => context)
    const all = await Promise.all(contexts.map(context => storage.run(context, refused)))
    expect(all).toEqual(contexts.map(context => Array(6).fill(context)))
  })

  /** Each in a process of its own: what a hook throws ends the process. */
  it.each(['AsyncLocalStorage', 'createHook', 'executionAsyncResource'])(
    'that begin after the first refusal: %s',
    async tool => {
      const script = fileURLToPath(new URL('refusals/hooks.mjs', import.meta.url))
      const { stdout, stderr } = await run(process.execPath, [script, tool], { timeout: LIMIT_MS })
      expect({ stdout, stderr }).toEqual({ stdout: 'refused 3 times\n', stderr: '' })
    },
  )
})
