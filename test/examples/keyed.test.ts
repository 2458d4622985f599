import { expect, it } from 'vitest'
import { runScript } from './run-example.ts'

it('takes many keys through few breakers in the same memory, and keeps the open one', async () => {
  const output = await runScript('examples/keyed/main.mjs', ['5000', '50'])
  const lines = output.trim().split('\n')
  const megabytes = lines.slice(0, 5).map(line => Number(/([\d.]+) MB/.exec(line)?.[1]))
  expect(lines[0]).toMatch(/^1000 keys {2}50 breakers/)
  expect(lines[5]).toBe('never more than 50: true; tenant:hot is open')
  expect(Math.max(...megabytes) - Math.min(...megabytes)).toBeLessThan(3)
})
