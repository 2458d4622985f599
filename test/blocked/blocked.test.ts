/** Three of four workers are stuck in loops; the fourth answers for the process all the same. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { createRegistry, type Health, type RegistrySnapshot } from '../../src/index.ts'

const BREAKERS = ['payments', 'search', 'stock']
const STUCK = 3

async function start(data: object): Promise<{ worker: Worker; message: { port?: number } }> {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData: data })
  onTestFinished(async () => {
    await worker.terminate()
  })
  const [message] = await once(worker, 'message')
  return { worker, message }
}

it('serves metrics, health and the dashboard, trips and resets every breaker', async () => {
  const registry = createRegistry({ maxBreakers: 8, maxThreads: 8 })
  onTestFinished(() => registry.close())
  for (const name of BREAKERS) registry.breaker(name)
  const until = new Int32Array(new SharedArrayBuffer(4))
  const common = { handle: registry.handle, breakers: BREAKERS }
  for (let thread = 0; thread < STUCK; thread++) await start({ ...common, until })
  const { message } = await start(common)
  const get = async (path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${message.port}${path}`)
    expect(response.status, path).toBe(200)
    return response.text()
  }

  expect(await get('/metrics')).toContain('circuit_breaker_in_flight_calls{breaker="search"} 3')
  expect(JSON.parse(await get('/health'))).toMatchObject({ status: 'pass' })
  await get('/open')
  const states = () => BREAKERS.map(name => registry.breaker(name).state)
  expect(states()).toEqual(['open', 'open', 'open'])
  const ill = JSON.parse(await get('/health')) as Health
  expect(ill).toMatchObject({ status: 'warn' })
  expect(await get('/metrics')).toContain('circuit_breaker_state{breaker="stock",state="open"} 1')
  await get('/reset')
  expect(states()).toEqual(['closed', 'closed', 'closed'])
  expect(await get('/')).toContain('<!doctype html>')

  // Those that are stuck are seen to be.
  const silent = async (): Promise<number> => {
    const { slots } = JSON.parse(await get('/snapshot.json')) as RegistrySnapshot
    return slots.filter(({ state }) => state === 'silent').length
  }
  const deadline = Date.now() + 20_000
  while ((await silent()) < STUCK && Date.now() < deadline);
  expect(await silent()).toBe(STUCK)
  Atomics.store(until, 0, 1)
})
