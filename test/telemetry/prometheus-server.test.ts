/**
 * A real Prometheus scrapes the gateway of the examples and fires the alert that ships, once for
 * the process. The rules are the shipped ones but for their `for:`, which the copy shortens from
 * minutes to a second, and the configuration but for its intervals and the port.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { boardExpressions, readMonitoring, requireTool } from './prometheus-tools.ts'

const DEADLINE_MS = 60_000

interface Alert {
  readonly labels: Readonly<Record<string, string>>
  readonly state: 'pending' | 'firing'
}

async function stopped(child: ChildProcess, stop: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  stop()
  await exited
}

async function startGateway() {
  const child = fork(new URL('prometheus-gateway.mjs', import.meta.url))
  onTestFinished(() => stopped(child, () => child.disconnect()))
  const [at] = (await once(child, 'message')) as [{ gatewayUrl: string; metricsPort: number }]
  return {
    ...at,
    async behave(behaviour: 'answer' | 'fail') {
      child.send(behaviour)
      await once(child, 'message')
    },
  }
}

/** Starts Prometheus on a free port of the loopback; answers where it is. */
async function startPrometheus(metricsPort: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-prometheus-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const rules = readMonitoring('alerts.yml').replace(/\bfor: \w+/g, 'for: 1s')
  const config = readMonitoring('prometheus.yml')
    .replace(/_interval: 15s/g, '_interval: 200ms')
    .replace('127.0.0.1:9464', `127.0.0.1:${metricsPort}`)
  expect(config).toContain(String(metricsPort))
  writeFileSync(join(folder, 'alerts.yml'), rules)
  writeFileSync(join(folder, 'prometheus.yml'), config)
  const child = spawn('prometheus', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--web.listen-address=127.0.0.1:0',
  ])
  onTestFinished(() => stopped(child, () => child.kill()))
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const [, address] = line.match(/msg="Listening on" address=(\S+)/) ?? []
    if (address === undefined) continue
    child.stderr.resume()
    return `http://${address}/api/v1/`
  }
  throw new Error(`Prometheus did not start: ${said.join('\n')}`)
}

async function ask<T>(url: string): Promise<T> {
  const response = await fetch(url)
  const { status, data, error } = (await response.json()) as Record<string, unknown>
  if (status !== 'success') throw new Error(`${url}: ${error}`)
  return data as T
}

/** Asks until the answer is there; the gateway gets requests meanwhile, each a chance for a trial. */
async function until<T>(what: string, gatewayUrl: string, look: () => Promise<T | undefined>) {
  const deadline = Date.now() + DEADLINE_MS
  while (Date.now() < deadline) {
    await Promise.all(Array.from({ length: 10 }, async () => (await fetch(gatewayUrl)).text()))
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(`not within ${DEADLINE_MS / 1000} s: ${what}`)
}

it('Prometheus scrapes the gateway and fires the alert once', async context => {
  requireTool('prometheus', context)
  const { gatewayUrl, metricsPort, behave } = await startGateway()
  const api = await startPrometheus(metricsPort)

  const firing = async (name: string): Promise<Alert[]> => {
    const { alerts } = await ask<{ alerts: Alert[] }>(`${api}alerts`)
    return alerts.filter(({ labels, state }) => labels.alertname === name && state === 'firing')
  }
  const numberOf = async (query: string): Promise<number | undefined> => {
    const url = `${api}query?query=${encodeURIComponent(query)}`
    const { result } = await ask<{ result: { value: [number, string] }[] }>(url)
    expect(result.length, query).toBeLessThanOrEqual(1)
    return result[0] && Number(result[0].value[1])
  }
  const isOne = async (query: string) => ((await numberOf(query)) === 1 ? true : undefined)

  await until('a first scrape', gatewayUrl, () => isOne('circuit_breaker_state{state="closed"}'))
  expect(await firing('CircuitBreakerOpen')).toEqual([])

  await behave('fail')
  const alerts = await until('the alert', gatewayUrl, async () => {
    const found = await firing('CircuitBreakerOpen')
    return found.length > 0 ? found : undefined
  })
  // Three workers met the outage: one alert, and it says which breaker.
  expect(alerts).toHaveLength(1)
  expect(alerts[0]?.labels).toMatchObject({
    severity: 'warning',
    job: 'gateway',
    breaker: expect.stringMatching(/^undici:http:\/\/127\.0\.0\.1:\d+$/),
  })
  expect(await numberOf('sum(circuit_breaker_refused_calls_total{state="open"})')).toBeGreaterThan(
    0,
  )
  expect(await numberOf('circuit_breaker_region_slots_used')).toBeGreaterThanOrEqual(4)

  for (const expr of boardExpressions()) {
    await ask(`${api}query?query=${encodeURIComponent(expr)}`)
  }

  await behave('answer')
  await until('the end of the alert', gatewayUrl, async () => {
    const { length } = await firing('CircuitBreakerOpen')
    return length === 0 ? isOne('circuit_breaker_state{state="closed"}') : undefined
  })
}, 150_000)
