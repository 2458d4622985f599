/** RI-01 of test/cases: retries around a breaker. */
import { expect, it } from 'vitest'
import { CircuitOpenError, createRegistry, retry } from '../../src/index.ts'
import { optionsOf, readCases } from '../cases/cases.ts'

const found = readCases().find(({ id }) => id === 'RI-01')
if (found === undefined) throw new Error('there is no case RI-01')
const { config } = found

it('RI-01: attempts are calls of the breaker; the first refusal ends them', async () => {
  const { maxAttempts } = (config as typeof config & { retry: { maxAttempts: number } }).retry
  const registry = createRegistry({ clock: 'manual', maxBreakers: 1, maxThreads: 1 })
  const breaker = registry.breaker('case', optionsOf(config))
  let calls = 0
  const failing = async (): Promise<never> => {
    calls++
    throw new Error('failure')
  }
  const attempt = () => breaker.execute(failing)
  const options = { attempts: maxAttempts, backoff: { initialMs: 0 } }
  await expect(retry(attempt, options)).rejects.toBeInstanceOf(CircuitOpenError)
  expect(calls).toBe(config.size)
  expect(breaker.snapshot()).toMatchObject({
    state: 'open',
    totals: { failed: config.size, refused: 1 },
  })
})
