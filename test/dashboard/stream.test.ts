/** The stream: for many, for the slow, and to its end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { dashboard } from '../../src/dashboard/dashboard.ts'
import { createRegistry, type Registry } from '../../src/index.ts'
import {
  ask,
  call,
  listen,
  QUICK,
  rowOf,
  type Site,
  serve,
  serveRegistry,
  until,
} from './support.ts'

let site: Site & { readonly registry: Registry }

afterEach(() => site.close())

async function open(options?: Parameters<typeof serveRegistry>[0]) {
  site = await serveRegistry({ intervalMs: 250, ...options })
  site.registry.breaker('a', QUICK)
  return site
}

/** A client that asks and never reads a byte. */
async function deafClient(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  await once(socket, 'connect')
  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return socket
}

it('begins with everything and goes on with what is new', async () => {
  const { registry, url } = await open()
  const stream = await listen(url)
  expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(stream.headers.get('cache-control')).toContain('no-transform')
  const first = await stream.next()
  if (first?.event !== 'snapshot') throw new Error('no snapshot')
  call(registry, 'a', 4, 4)
  const frame = await until(async () => {
    const told = await stream.next()
    return told?.event === 'frame' && told.data.rows.length > 0 ? told.data : undefined
  }, 'a frame with a row')
  expect(rowOf(first.data, frame, 'a')).toMatchObject({ state: 'open' })
  expect(frame.transitions).toHaveLength(1)
  stream.end()
})

it('looks at the registry only while somebody watches', async () => {
  const { registry, url } = await open()
  const looked = { times: 0 }
  const snapshot = registry.snapshot.bind(registry)
  registry.snapshot = () => {
    looked.times += 1
    return snapshot()
  }
  const [one, other] = [await listen(url), await listen(url)]
  for (let each = 0; each < 4; each++) await one.next()
  for (let each = 0; each < 4; each++) await other.next()
  // One look for both of them.
  expect(looked.times).toBeLessThanOrEqual(6)
  one.end()
  other.end()
  let seen = -1
  await until(async () => {
    const before = seen
    seen = looked.times
    await new Promise(resolve => setTimeout(resolve, 600))
    return before === looked.times
  }, 'no more looks')
})

it('takes no more clients than it may, and another when one goes', async () => {
  const { url } = await open({ maxClients: 2 })
  const streams = [await listen(url), await listen(url)]
  const { status, headers, text } = await ask(`${url}events`)
  expect([status, headers['retry-after']]).toEqual([503, '5'])
  expect(text).toContain('maxClients')
  expect((await ask(`${url}snapshot.json`)).status).toBe(200)
  streams[0]?.end()
  const third = await until(() => listen(url).catch(() => undefined), 'room for another')
  for (const stream of [...streams, third]) stream.end()
})

it('what is held for clients that do not read is bounded', async () => {
  const registry = createRegistry({ keeper: false, maxBreakers: 1024 })
  // Events of these do not fit into the buffers of a connection.
  for (let each = 0; each < 1_000; each++) registry.breaker(`${'long-name-'.repeat(12)}${each}`)
  const names = registry.names()
  const board = dashboard(registry, { intervalMs: 250 })
  const responses: ServerResponse[] = []
  const own = await serve((request, response) => {
    responses.push(response)
    board(request, response)
  })
  const deaf = await Promise.all(Array.from({ length: 8 }, () => deafClient(own.port)))
  const good = await listen(own.url)
  const first = await good.next()
  const eventBytes = JSON.stringify(first?.data).length
  for (let frames = 0; frames < 12; ) {
    for (const name of names) call(registry, name, 1, 0)
    if ((await good.next())?.event === 'frame') frames += 1
  }
  for (const response of responses) expect(response.writableLength).toBeLessThan(2 * eventBytes)
  good.end()
  for (const socket of deaf) socket.destroy()
  await own.close()
  registry.close()
})

it('a thousand that ask at once are answered: as many as may watch, the others with 503', async () => {
  const { url } = await open({ maxClients: 10 })
  const ending = new AbortController()
  const answers = Array.from({ length: 1_000 }, () =>
    fetch(`${url}events`, { signal: ending.signal }),
  )
  // Held until the end: fetch hangs up on an answer that is garbage.
  const responses = await Promise.all(answers)
  const statuses = responses.map(({ status }) => status)
  expect(statuses.filter(status => status === 200)).toHaveLength(10)
  expect(statuses.filter(status => status === 503)).toHaveLength(990)
  ending.abort()
})

it('says that the registry was closed, and ends', async () => {
  const { registry, url } = await open()
  const stream = await listen(url)
  await stream.next()
  registry.close()
  const last = await until(async () => {
    const told = await stream.next()
    return told?.event === 'closed' ? told : undefined
  }, 'the end')
  expect(last.data).toMatchObject({ message: expect.stringContaining('was closed') })
  expect(await stream.next()).toBeUndefined()
  expect((await ask(`${url}events`)).status).toBe(503)
})

it('a page that is open keeps no process alive', async () => {
  await open()
  const script = `
    import { createServer } from 'node:http'
    import { createRegistry } from '${new URL('../../dist/index.js', import.meta.url)}'
    import { dashboard } from '${new URL('../../dist/dashboard/dashboard.js', import.meta.url)}'
    const server = createServer(dashboard(createRegistry({ keeper: false })))
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))
    process.on('message', () => {
      server.close()
      process.disconnect()
    })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const { stdout } = child
  if (stdout === null) throw new Error('no output')
  const [port] = (await once(stdout, 'data')) as [Buffer]
  const stream = await listen(`http://127.0.0.1:${String(port).trim()}/`)
  await stream.next()
  child.send('end')
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(0)
})
