// STOCK_URL=http://127.0.0.1:4000 node examples/recipes/express/server.mjs (after npm run build)
//
// Express 5: one error middleware, the last, answers refusals with 503 and Retry-After and leaves
// all other errors to Express. Routes need no try: Express 5 passes on what they reject with.
import { getRegistry, isRefusal } from 'busbar'
import express from 'express'

const stock = getRegistry().breaker('stock', {
  slidingWindow: { type: 'consecutive', failures: 5 },
  isFailure: ({ status }) => status >= 500,
  timeoutMs: 800,
})

const app = express()

app.get('/stock/:sku', async (request, response) => {
  const url = `${process.env.STOCK_URL}/${encodeURIComponent(request.params.sku)}`
  const { status, body } = await stock.execute(async ({ signal }) => {
    const answer = await fetch(url, { signal })
    return { status: answer.status, body: await answer.json() }
  })
  response.status(status).json(body)
})

app.use((error, _request, response, next) => {
  if (!isRefusal(error)) return next(error)
  // Infinity: only a person can end it. Throttles and bulkheads name no time.
  const { retryAfterMs = 0 } = error
  if (Number.isFinite(retryAfterMs)) {
    response.set('Retry-After', String(Math.max(1, Math.ceil(retryAfterMs / 1000))))
  }
  response.status(503).json({ error: 'Service Unavailable', code: error.code })
})

const server = app.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
