import { expect, it } from 'vitest'
import { runScript } from '../../examples/run-example.ts'

it('the example: one threshold for all workers, and nothing is left of a killed one', async () => {
  const [first, ...rest] = (await runScript('examples/adapters/piscina.mjs')).trim().split('\n')
  const [calls = 0, refused = 0] = (first?.match(/\d+(?= (?:calls|refused))/g) ?? []).map(Number)
  expect(calls + refused).toBe(40)
  // Five, and those of the three other workers that were in flight.
  expect(calls).toBeGreaterThanOrEqual(5)
  expect(calls).toBeLessThanOrEqual(8)
  expect(rest).toEqual(['AbortError: its worker is killed', '1 abandoned, 0 in flight, 1 thread'])
})
