import { expect, it } from 'vitest'
import { runScript } from '../../examples/run-example.ts'

it('the example prints its answers, the refusals among them', async () => {
  const lines = (await runScript('examples/adapters/fastify.mjs')).trimEnd().split('\n')
  const failed = 'B-2: 500 its own error: no connection to the shard of B-2'
  const refused = /^B-2: 503 ERR_CIRCUIT_OPEN: circuit breaker "stock" is open, again in \d+ s$/
  expect(lines).toEqual([
    'A-1: {"items":3}',
    ...Array(5).fill(failed),
    ...Array(3).fill(expect.stringMatching(refused)),
    '/health: 503 fail',
    expect.stringMatching(/^\/metrics: .*breaker="stock".* 3$/),
  ])
})
