/** The channels where they are not alone: in other threads, beside subscribers that throw. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import type { ExecuteTrace, Refusal } from '../../src/channels.ts'
import { make } from '../unit/execute-support.ts'
import { messagesOf } from './channels-support.ts'

const run = promisify(execFile)
const LIMIT_MS = 20_000
const START = 'tracing:busbar:execute:start'

it('a worker hears of its own calls and of all transitions, the others not of its calls', async () => {
  const { registry, breaker } = make()
  const [refused, traced] = [messagesOf<Refusal>('busbar:refused'), messagesOf<ExecuteTrace>(START)]
  const workerData = { handle: registry.handle, name: breaker.name }
  const worker = new Worker(new URL('channels/worker.mjs', import.meta.url), { workerData })
  onTestFinished(async () => {
    await worker.terminate()
  })
  expect(await once(worker, 'message')).toEqual(['ready'])
  breaker.open()
  await breaker.tryExecute(() => 'value')
  worker.postMessage('go')
  const [heard] = await once(worker, 'message')
  const { name } = breaker
  expect(heard).toEqual({
    refused: [{ breaker: name, state: 'open', retryAfterMs: 30_000 }],
    traced: [
      { breaker: name, outcome: 'success' },
      { breaker: name, outcome: 'refused' },
    ],
    changes: [{ breaker: name, to: 'open' }],
  })
  expect([refused.length, traced.length]).toEqual([1, 1])
})

it('subscribers that throw harm neither calls nor others; Node raises what they threw', async () => {
  const script = fileURLToPath(new URL('channels/throwing.mjs', import.meta.url))
  const { stdout, stderr } = await run(process.execPath, [script], { timeout: LIMIT_MS })
  expect(stderr).toBe('')
  const { heard, raised, ...calls } = JSON.parse(stdout)
  expect(calls).toEqual({ value: 'value', sync: 'value', refused: true, succeeded: 2, inFlight: 0 })
  const end = 'tracing:busbar:execute:end'
  expect(heard).toEqual([START, end, START, end, START, 'busbar:refused', end])
  expect([...raised].sort()).toEqual(heard.map((name: string) => `from ${name}`).sort())
})
