// The loan service: for each loan it looks into the catalog, sends a notification, asks for a
// reminder, and for every 20th loan cancels an older one. A call that fails or is refused is left
// out: the loan goes through without it.
import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * @typedef {{ site: string, dependency: 'catalog' | 'notification', path: string }} CallSite
 * @type {CallSite[]}
 */
const callSites = [
  { site: 'look up', dependency: 'catalog', path: '/book' },
  { site: 'send', dependency: 'notification', path: '/send' },
  { site: 'remind', dependency: 'notification', path: '/remind' },
  { site: 'cancel', dependency: 'notification', path: '/cancel' },
]

/**
 * @param {object} options
 * @param {Record<string, string>} options.urls  of the dependencies
 * @param {(callSite: CallSite) => import('busbar').CircuitBreaker} options.breakerFor
 */
export async function startLoanService({ urls, breakerFor }) {
  async function call(callSite) {
    const breaker = breakerFor(callSite)
    const result = await breaker.tryExecute(async () => {
      const response = await fetch(urls[callSite.dependency] + callSite.path)
      if (!response.ok) throw new Error(`${callSite.dependency} answered ${response.status}`)
    })
    return result.ok ? 'done' : result.refused ? 'refused' : 'failed'
  }

  const server = createServer(async (request, response) => {
    const loan = Number(request.url.slice('/loans/'.length))
    const answer = {}
    for (const callSite of callSites) {
      if (callSite.site === 'cancel' && loan % 20 !== 0) continue
      answer[callSite.site] = await call(callSite)
    }
    response.end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
