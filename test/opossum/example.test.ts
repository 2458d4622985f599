import { expect, test } from 'vitest'
import { runScript } from '../examples/run-example.ts'

test('the example sends a dead service the threshold once, not once per thread', async () => {
  const output = await runScript('examples/opossum/main.mjs')
  const rows = [...output.matchAll(/^(\S+) +(\d+) +(\d+) +(\d+)$/gm)].map(row => row.slice(1))
  const [opossum, busbar] = rows.map(([library, ...counts]) => [library, ...counts.map(Number)])
  expect(opossum).toEqual(['opossum', 20, 180, 4])
  const [library, made, refused, heard] = busbar as [string, number, number, number]
  expect([library, made + refused, heard]).toEqual(['busbar/opossum', 200, 4])
  // The threshold, and at most one call in flight in each of the other threads.
  expect(made).toBeGreaterThanOrEqual(5)
  expect(made).toBeLessThanOrEqual(8)
})
