import { expect, it } from 'vitest'
import { runScript } from '../../examples/run-example.ts'

it('the example: what is unavailable is spared, a mistake of the caller changes nothing', async () => {
  expect((await runScript('examples/adapters/grpc.mjs')).trim().split('\n')).toEqual([
    'OK: 20 calls, 20 requests, 0 refused; closed',
    'NOT_FOUND: 20 calls, 20 requests, 0 refused; closed',
    'UNAVAILABLE: 20 calls, 5 requests, 15 refused; open',
  ])
})
