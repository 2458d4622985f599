import { expect, it } from 'vitest'
import { runScript } from '../../examples/run-example.ts'

it('the example: the service that is down is spared, the other is not touched', async () => {
  expect((await runScript('examples/adapters/axios.mjs')).trim().split('\n')).toEqual([
    'stock: 20 calls, 5 requests; 0 ok, 5 failed, 15 old; open',
    'prices: 20 calls, 20 requests; 20 ok, 0 failed, 0 old; closed',
    'stock: 20 calls, 20 requests; 20 ok, 0 failed, 0 old; closed',
  ])
})
