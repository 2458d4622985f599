/** The recipes for servers: refusals are 503, and nothing else is answered otherwise. */
import { expect, it } from 'vitest'
import { firstLineOf, json, startDependency } from './support.ts'

const FAILURES = 5

it.each([
  ['Express', 'express'],
  ['Hono', 'hono'],
  ['Nest', 'nest'],
])('%s', async (_, name) => {
  const dependency = await startDependency()
  const path = `examples/recipes/${name}/server.mjs`
  const origin = await firstLineOf(path, { STOCK_URL: dependency.url, NODE_ENV: 'production' })
  const ask = (): Promise<Response> => fetch(`${origin}/stock/A-1`)

  const good = await ask()
  expect(good.status).toBe(200)
  expect(await good.json()).toEqual({ items: 3 })

  // A connection that breaks is an error that is no refusal: the framework's own 500.
  dependency.answer = response => response.destroy()
  const broken = await ask()
  expect(broken.status).toBe(500)
  expect(broken.headers.get('retry-after')).toBe(null)
  expect(await broken.text()).toMatch(/Internal Server Error/i)

  dependency.answer = response => json(response, 502, { error: 'down' })
  for (let failure = 1; failure < FAILURES; failure++) expect((await ask()).status).toBe(502)

  const refused = await ask()
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toMatch(/^(?:30|2\d)$/)
  expect(await refused.json()).toEqual({ error: 'Service Unavailable', code: 'ERR_CIRCUIT_OPEN' })
  expect(dependency.calls).toBe(1 + FAILURES)
})
