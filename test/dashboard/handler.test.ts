/** Routes, headers, and who may look. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DashboardHandler, dashboard } from '../../src/dashboard/dashboard.ts'
import { isLoopbackAddress, isLoopbackHost } from '../../src/dashboard/guard.ts'
import { createRegistry, InvalidOptionError, type Registry } from '../../src/index.ts'
import { ask, listen, type Site, serve, serveRegistry } from './support.ts'

let site: Site & { readonly registry: Registry }

beforeEach(async () => {
  site = await serveRegistry()
  site.registry.breaker('payments')
})

afterEach(() => site.close())

const FILES = [
  ['', 'text/html'],
  ['?from=mail', 'text/html'],
  ['main.js', 'text/javascript'],
  ['base.css', 'text/css'],
  ['snapshot.json', 'application/json'],
]

describe('routes', () => {
  it.each(FILES)('"%s" is %s', async (path, type) => {
    const { status, headers, text } = await ask(site.url + path)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe(`${type}; charset=utf-8`.replace('json; ', 'json; '))
    expect(Number(headers['content-length'])).toBe(Buffer.byteLength(text))
  })

  it('everything that the page asks for is there', async () => {
    const { text } = await ask(site.url)
    const asked = [...text.matchAll(/(?:href|src)="([^":#]+)"/g)].map(([, name]) => name)
    expect(asked.length).toBeGreaterThan(8)
    const pending = [...asked]
    const seen = new Set<string>()
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (seen.has(name)) continue
      seen.add(name)
      const { status, text: file } = await ask(site.url + name)
      expect(`${name} ${status}`).toBe(`${name} 200`)
      pending.push(...[...file.matchAll(/from '\.\/([\w-]+\.js)'/g)].map(([, each]) => each ?? ''))
    }
    expect(seen.size).toBeGreaterThan(20)
  })

  it('nothing in the page leads to another host', async () => {
    const { text } = await ask(site.url)
    expect(text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    expect(text).not.toMatch(/(?:src|href)="\//)
  })

  it.each(['nope', 'events/x', 'page.html', 'constructor', '__proto__'])(
    '%s is not found',
    async path => {
      const { status, headers } = await ask(site.url + path)
      expect(status).toBe(404)
      expect(headers['x-content-type-options']).toBe('nosniff')
    },
  )

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is refused', async method => {
    const { status, headers, text } = await ask(site.url, { method })
    expect(status).toBe(405)
    expect(headers.allow).toBe('GET, HEAD')
    expect(text).toContain('read-only')
  })

  it('HEAD has headers and no body', async () => {
    for (const path of ['', 'events', 'snapshot.json', 'nope']) {
      const { text, headers } = await ask(site.url + path, { method: 'HEAD' })
      expect(text).toBe('')
      expect(headers['content-type']).toBeDefined()
    }
  })

  it('every answer has the headers of a page that trusts nobody', async () => {
    for (const path of ['', 'main.js', 'snapshot.json', 'nope']) {
      const { headers } = await ask(site.url + path)
      expect(headers['cache-control']).toContain('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['x-frame-options']).toBe('DENY')
      const policy = headers['content-security-policy']
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/https?:|\*|unsafe/)
      expect(headers['access-control-allow-origin']).toBeUndefined()
    }
  })
})

describe('snapshot.json', () => {
  it('is the snapshot of the registry, with its history', async () => {
    site.registry.breaker('payments').forceOpen({ reason: 'moving' })
    const { text } = await ask(`${site.url}snapshot.json`)
    const found = JSON.parse(text) as ReturnType<Registry['snapshot']> & { history: unknown }
    expect(found.breakers).toMatchObject([{ name: 'payments', state: 'forced-open' }])
    // JSON has no Infinity: by command only.
    expect(found.breakers[0]?.retryAfterMs).toBeNull()
    expect(found.history).toMatchObject([{ breaker: 'payments', reason: 'moving' }])
  })
})

describe('mounted', () => {
  async function mounted(listener: (board: DashboardHandler) => DashboardHandler): Promise<Site> {
    return serve(listener(dashboard(site.registry)))
  }

  it('below a path that is not stripped', async () => {
    const own = await mounted(board => (request, response) => {
      if (request.url?.startsWith('/ops/breakers/')) board(request, response)
      else response.writeHead(418).end()
    })
    expect((await ask(`${own.url}ops/breakers/`)).status).toBe(200)
    expect((await ask(`${own.url}ops/breakers/main.js`)).status).toBe(200)
    expect((await ask(`${own.url}ops/breakers/nope`)).status).toBe(404)
    const stream = await listen(`${own.url}ops/breakers/`)
    expect((await stream.next())?.event).toBe('snapshot')
    stream.end()
    await own.close()
  })

  it('below a path that the framework strips', async () => {
    // What Express does for app.use('/breakers', handler).
    const own = await mounted(board => (request, response) => {
      const url = request.url ?? ''
      const stripped = url.replace(/^\/breakers/, '').replace(/^(?=\?|$)/, '/')
      board(Object.assign(request, { originalUrl: url, url: stripped }), response)
    })
    expect((await ask(`${own.url}breakers/`)).status).toBe(200)
    expect((await ask(`${own.url}breakers/events`, { method: 'HEAD' })).status).toBe(200)
    // Without its slash the page's relative addresses would lead elsewhere.
    const { status, headers } = await ask(`${own.url}breakers`)
    expect([status, headers.location]).toEqual([307, './breakers/'])
    expect(new URL(headers.location ?? '', `${own.url}breakers`).pathname).toBe('/breakers/')
    await own.close()
  })
})

describe('from elsewhere', () => {
  const host = () => `127.0.0.1:${site.port}`

  /** A request as a server beside the loopback interface would see it. */
  function statusFor(remoteAddress: string | undefined, allowRemote: boolean): number {
    const board = dashboard(site.registry, { allowRemote })
    const request = {
      method: 'GET',
      url: '/',
      headers: { host: 'x.org' },
      socket: { remoteAddress },
    }
    const response = Object.assign(new EventEmitter(), {
      status: 0,
      setHeader() {},
      writeHead(status: number) {
        this.status = status
      },
      end() {},
    })
    board(request as unknown as IncomingMessage, response as unknown as ServerResponse)
    return response.status
  }

  it.each(['10.0.0.7', '::ffff:10.0.0.7', 'fe80::1', '192.168.1.2', undefined])(
    '%s is refused unless it is allowed',
    address => {
      expect(statusFor(address, false)).toBe(403)
      expect(statusFor(address, true)).toBe(200)
    },
  )

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('%s is this machine', address => {
    expect(isLoopbackAddress(address)).toBe(true)
  })

  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1:3000', '[::1]:3000', '[::1]', 'app.localhost'])(
    'the host %s is this machine',
    name => {
      expect(isLoopbackHost(name)).toBe(true)
    },
  )

  it.each([
    'evil.org',
    'localhost.evil.org',
    '127.0.0.1.evil.org',
    '10.0.0.1',
    '',
    'a@localhost:1:2',
  ])('the host "%s" is not', name => {
    expect(isLoopbackHost(name)).toBe(false)
  })

  it('a name that leads here is refused: whose page asks may read what it gets', async () => {
    for (const path of ['', 'events', 'snapshot.json']) {
      const { status } = await ask(site.url + path, { headers: { host: 'evil.org' } })
      expect(status).toBe(403)
    }
    expect((await ask(site.url, { headers: { host: host() } })).status).toBe(200)
  })

  it("another site's page may lead here, not read", async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await ask(site.url, { headers })).status).toBe(200)
    expect((await ask(`${site.url}events`, { headers })).status).toBe(403)
    expect((await ask(`${site.url}snapshot.json`, { headers })).status).toBe(403)
  })
})

describe('bad input', () => {
  it.each([undefined, null, 1, 'registry', {}, { snapshot() {} }])('registry %j', registry => {
    expect(() => dashboard(registry as unknown as Registry)).toThrow(InvalidOptionError)
  })

  it.each([
    [{ interval: 1 }, /no such option \(there are: allowRemote, intervalMs, maxClients\)/],
    [{ intervalMs: 1 }, /options.intervalMs must be a whole number from 250 to 10000; got 1/],
    [{ intervalMs: '1000' }, /options.intervalMs/],
    [{ intervalMs: Number.NaN }, /options.intervalMs/],
    [{ maxClients: 0 }, /options.maxClients must be a whole number from 1 to 1024; got 0/],
    [{ maxClients: 1e9 }, /options.maxClients/],
    [{ allowRemote: 'yes' }, /options.allowRemote must be true or false; got "yes"/],
    [null, /options must be an object; got null/],
    [[], /options must be an object/],
  ])('options %j', (options, message) => {
    expect(() => dashboard(site.registry, options as object)).toThrow(message)
  })

  it('a closed registry: 503 that says so, and the page still comes', async () => {
    site.registry.close()
    for (const path of ['events', 'snapshot.json']) {
      const { status, text, headers } = await ask(site.url + path)
      expect(status).toBe(503)
      expect(text).toContain('this registry was closed')
      expect(headers['retry-after']).toBe('5')
    }
    expect((await ask(site.url)).status).toBe(200)
  })

  it('a closed registry can be given', () => {
    const closed = createRegistry({ keeper: false })
    closed.close()
    expect(() => dashboard(closed)).not.toThrow()
  })
})
