/**
 * TP-01 and TP-02 need a process of their own, MM-02 a look at a signal's listeners. Of TP-01 the
 * metrics subscription is left out (busbar has none yet), of TP-02 the call queued in a bulkhead.
 */
import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'

/** Rejects unless the process ends by itself with code 0; the limit only stops a hanging one. */
async function run(script: URL): Promise<string[]> {
  const command = [fileURLToPath(script)]
  const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 20_000 })
  return stdout.trim().split(/\s+/)
}

it('TP-01: idle breakers do not keep the process alive', async () => {
  const [open, halfOpen, tookMs] = await run(new URL('./idle.mjs', import.meta.url))
  expect([open, halfOpen]).toEqual(['open', 'half-open'])
  expect(Number(tookMs)).toBeLessThan(1_000)
})

it('TP-02: the time-out of a call in flight keeps the process alive', async () => {
  const [code, tookMs] = await run(new URL('./timeout.mjs', import.meta.url))
  expect(code).toBe('ERR_CALL_TIMEOUT')
  expect(Number(tookMs)).toBeGreaterThanOrEqual(299)
})

it('MM-02: 1000 calls with one signal leave no abort listener behind', async () => {
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  const registry = createRegistry({ clock: 'manual' })
  const breaker = registry.breaker('b', { slidingWindow: { type: 'count', size: 10 } })
  const { signal } = new AbortController()
  const listeners = () => getEventListeners(signal, 'abort').length
  let most = 0
  const work = [
    async () => 'success',
    () => Promise.reject(new Error('failure')),
    () => new Promise(() => {}),
  ]
  for (let round = 0; round < 1_000; round += 1) {
    // One call in four is refused without running, one in eight times out.
    if (round % 4 === 3) breaker.forceOpen()
    else breaker.disable()
    const call = work[round % 8 === 2 ? 2 : round % 2]
    const running = breaker.execute(
      ({ signal: own }) => {
        most = Math.max(most, listeners())
        return own.aborted ? undefined : call?.()
      },
      { signal, timeoutMs: round % 8 === 2 ? 1 : 10_000 },
    )
    most = Math.max(most, listeners())
    await running.catch(() => undefined)
    most = Math.max(most, listeners())
  }
  process.off('warning', warned)
  const { refused, failed, succeeded } = breaker.snapshot().totals
  expect({ refused, failed, succeeded }).toEqual({ refused: 250, failed: 375, succeeded: 375 })
  expect(listeners()).toBe(0)
  expect(most).toBeLessThanOrEqual(1)
  expect(warnings).toEqual([])
  registry.close()
})
