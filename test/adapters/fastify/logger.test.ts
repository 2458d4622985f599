/** Refusals in the log: pino marks each error while it looks at it. */
import { expect, it } from 'vitest'
import { busbar } from '../../../src/adapters/fastify.ts'
import { ask, makeRegistry, makeServer } from './support.ts'

it('a refusal is logged as it is, and answered as without a logger', async () => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const registry = makeRegistry()
  const server = makeServer({ logger: { level: 'error', stream } })
  await server.register(busbar, { registry })
  const breaker = registry.breaker('stock')
  breaker.forceOpen({ reason: 'INC-1207' })
  server.get('/', () => breaker.execute(() => 'in stock'))
  const { status, body } = await ask(server, '/')
  expect({ status, body }).toMatchObject({ status: 503, body: { code: 'ERR_CIRCUIT_OPEN' } })
  const err = { type: 'CircuitOpenError', code: 'ERR_CIRCUIT_OPEN', breaker: 'stock' }
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { res: { statusCode: 503 }, err: { ...err, state: 'forced-open', reason: 'INC-1207' } },
  ])
})
