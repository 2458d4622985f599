import { expect, test } from 'vitest'
import { runScript } from './run-example.ts'

test('a breaker that counts calls which hang refuses long before their timeout', async () => {
  const output = await runScript('examples/overload/hanging.mjs')
  const lines = [...output.matchAll(/^(.+): refuses after (\d+) ms; (\d+) callers wait$/gm)]
  const [ended, hanging] = lines.map(([, name, ms, waiting]) => ({
    ...{ name, ms: Number(ms), waiting: Number(waiting) },
  }))
  expect(ended?.name).toBe('waits for calls to end')
  expect(hanging?.name).toBe('counts calls that hang')
  expect(ended?.ms).toBeGreaterThanOrEqual(4900)
  expect(hanging?.ms).toBeGreaterThan(200)
  expect(hanging?.ms).toBeLessThan(2000)
  expect(hanging?.waiting).toBeLessThan(ended?.waiting ?? 0)
})

test('a caller that blocks its own loop does not open the breaker of a healthy dependency', async () => {
  const output = await runScript('examples/overload/stall.mjs')
  const lines = [...output.matchAll(/^(.+): (\d+) of 30 fail; the breaker is (\S+); (\d+) local/gm)]
  const [byHand, execute] = lines.map(([, name, failed, state, stalls]) => ({
    ...{ name, failed: Number(failed), state, stalls: Number(stalls) },
  }))
  expect(byHand).toEqual({ name: 'a timeout by hand', failed: 30, state: 'open', stalls: 0 })
  expect(execute).toMatchObject({ name: 'the timeout of execute', failed: 0, state: 'closed' })
  expect(execute?.stalls).toBeGreaterThan(0)
})
