import { expect, it } from 'vitest'
import { runScript } from '../../examples/run-example.ts'

it('the example: a service that restarts is left alone, and used again', async () => {
  const output = await runScript('examples/adapters/undici.mjs')
  const lines = [...output.matchAll(/^(\w+): 40 calls, (\d+) requests; callers get (.+)$/gm)]
  const [up, restarting, back] = lines.map(([, phase, requests, answers]) => ({
    ...{ phase, requests: Number(requests), answers },
  }))
  expect(up).toEqual({ phase: 'up', requests: 40, answers: '40 x 200' })
  expect(restarting?.requests).toBeLessThan(30)
  expect(restarting?.answers).toMatch(/\d+ x ERR_CIRCUIT_OPEN/)
  expect(back?.answers).toMatch(/\d+ x 200/)
  expect(output).toMatch(/^the breaker is closed$/m)
})
