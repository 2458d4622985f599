/** A dashboard on a server of its own, and its stream read by hand. */
import { once } from 'node:events'
import { createServer, get, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DashboardOptions, dashboard } from '../../src/dashboard/dashboard.ts'
import type { Frame, Introduction, RowValue, Snapshot } from '../../src/dashboard/wire.ts'
import { type BreakerOptions, createRegistry, type Registry } from '../../src/index.ts'

export interface Site {
  readonly port: number
  /** With a slash at its end. */
  readonly url: string
  close(): Promise<void>
}

export async function serve(listener: RequestListener, wantedPort = 0): Promise<Site> {
  const server = createServer(listener)
  server.listen(wantedPort, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** A registry that opens fast, and a site with its dashboard. */
export async function serveRegistry(options?: DashboardOptions) {
  const registry = createRegistry({ keeper: false, maxBreakers: 1024 })
  const site = await serve(dashboard(registry, options))
  return {
    registry,
    ...site,
    async close() {
      await site.close()
      registry.close()
    },
  }
}

export const QUICK: BreakerOptions = {
  minimumNumberOfCalls: 4,
  waitDurationInOpenStateMs: 60_000,
  permittedNumberOfCallsInHalfOpenState: 2,
}

/** So many calls, each with its outcome and duration. */
export function call(registry: Registry, name: string, calls: number, failed: number): void {
  const breaker = registry.breaker(name)
  for (let each = 0; each < calls; each++) {
    const permit = breaker.tryAcquire()
    if (permit < 0) continue
    if (each < failed) breaker.recordFailure(permit, 20)
    else breaker.recordSuccess(permit, 10)
  }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A whole answer; `headers` may lie about the host, which fetch does not allow. */
export function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { ...options, agent: false }, response => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', part => {
        text += part
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    request.on('error', reject)
  })
}

export type Told =
  | { readonly event: 'snapshot'; readonly data: Snapshot }
  | { readonly event: 'frame'; readonly data: Frame }
  | { readonly event: 'closed'; readonly data: { readonly message: string } }

/** The stream's events, one at a time; `end` hangs up. */
export async function listen(url: string) {
  const ending = new AbortController()
  const response = await fetch(new URL('events', url), { signal: ending.signal })
  if (response.body === null || !response.ok) throw new Error(`answered ${response.status}`)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    headers: response.headers,
    async next(): Promise<Told | undefined> {
      while (!text.includes('\n\n')) {
        const { done, value } = await reader.read()
        if (done) return undefined
        text += value
      }
      const end = text.indexOf('\n\n')
      const [event, data] = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      return JSON.parse(
        `{"event":"${event?.slice('event: '.length)}","data":${data?.slice('data: '.length)}}`,
      ) as Told
    },
    end: () => ending.abort(),
  }
}

export type Fields = Readonly<Record<string, RowValue>>

/** A row by the names of its fields, found by the breaker's name. */
export function rowOf(snapshot: Snapshot, frame: Frame, name: string): Fields | undefined {
  const introduced: readonly Introduction[] = [...snapshot.added, ...(frame.added ?? [])]
  const id = introduced.find(each => each.name === name)?.id
  const row = frame.rows.find(([first]) => first === id)
  if (row === undefined) return undefined
  return Object.fromEntries(snapshot.fields.map((field, at) => [field, row[at] ?? null]))
}

/** Waits until `found` gives something; fails at the deadline. */
export async function until<T>(
  found: () => T | undefined | false | Promise<T | undefined | false>,
  what: string,
  withinMs = 10_000,
): Promise<T> {
  const end = performance.now() + withinMs
  for (;;) {
    const result = await found()
    if (result !== undefined && result !== false) return result
    if (performance.now() > end) throw new Error(`${what}: not within ${withinMs} ms`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}
