// STOCK_URL=http://127.0.0.1:4000 node examples/recipes/hono/server.mjs (after npm run build)
//
// Hono on Node: onError answers refusals with 503 and Retry-After. It stands in the place of Hono's
// own handler, so it does what that does for all other errors.
import { serve } from '@hono/node-server'
import { getRegistry, isRefusal } from 'busbar'
import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'

const stock = getRegistry().breaker('stock', {
  slidingWindow: { type: 'consecutive', failures: 5 },
  isFailure: ({ status }) => status >= 500,
  timeoutMs: 800,
})

const app = new Hono()

app.get('/stock/:sku', async c => {
  const url = `${process.env.STOCK_URL}/${encodeURIComponent(c.req.param('sku'))}`
  const { status, body } = await stock.execute(async ({ signal }) => {
    const answer = await fetch(url, { signal })
    return { status: answer.status, body: await answer.json() }
  })
  return c.json(body, status)
})

app.onError((error, c) => {
  if (isRefusal(error)) {
    // Infinity: only a person can end it. Throttles and bulkheads name no time.
    const { retryAfterMs = 0 } = error
    if (Number.isFinite(retryAfterMs)) {
      c.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000))))
    }
    return c.json({ error: 'Service Unavailable', code: error.code }, 503)
  }
  if (error instanceof HTTPException) return error.getResponse()
  console.error(error)
  return c.text('Internal Server Error', 500)
})

const port = Number(process.env.PORT ?? 0)
serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`)
})
