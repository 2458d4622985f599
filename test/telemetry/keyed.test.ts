/** Series of breakers that made room for others. */
import { Registry as PromRegister } from 'prom-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRegistry, type Registry } from '../../src/index.ts'
import { collectInto, renderPrometheus } from '../../src/telemetry/prometheus.ts'

let registry: Registry

beforeEach(() => {
  registry = createRegistry({ keeper: false, clock: 'manual', maxBreakers: 4, maxThreads: 2 })
})

afterEach(() => registry.close())

function call(key: string): void {
  const breaker = registry.keyed('host', { max: 1 }).breaker(key)
  breaker.recordSuccess(breaker.tryAcquire(), 5)
  registry.advance(1)
}

/** The names of all breakers that a text speaks of. */
function namesIn(text: string): string[] {
  const found = [...text.matchAll(/"(host:[a-z])"/g)].map(([, name]) => name as string)
  return [...new Set(found)].sort()
}

it('end in the text of Prometheus, and the next begin at nothing', () => {
  call('a')
  call('a')
  expect(namesIn(renderPrometheus(registry))).toEqual(['host:a'])
  call('b')
  const text = renderPrometheus(registry)
  expect(namesIn(text)).toEqual(['host:b'])
  expect(text).toMatch(/calls_total\{[^}]*"host:b",outcome="succeeded"\} 1\n/)
})

it('end in a registry of prom-client', async () => {
  const register = new PromRegister()
  const stop = collectInto(register, registry)
  call('a')
  expect(namesIn(await register.metrics())).toEqual(['host:a'])
  call('b')
  expect(namesIn(await register.metrics())).toEqual(['host:b'])
  stop()
})
