/** examples/monitoring and the rendered text, as Prometheus's own tool sees them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { renderPrometheus } from '../../src/telemetry/prometheus.ts'
import { breakerOf, parse, registryOf } from './prometheus-support.ts'
import {
  boardExpressions,
  promtool,
  readBoard,
  readMonitoring,
  requireTool,
} from './prometheus-tools.ts'

const registry = registryOf({
  breakers: [breakerOf('b'), breakerOf('a"b\\c\nd')],
  durationsMs: [0.3, 40, 90_000],
})

/** Names of samples: those of families, and what a histogram makes of its own. */
function knownNames(): Set<string> {
  const families = parse(renderPrometheus(registry))
  return new Set(
    [...families].flatMap(([name, { samples }]) => [name, ...samples.map(s => s.name)]),
  )
}

function metricsIn(text: string): string[] {
  return [
    ...new Set(text.match(/\b(?:circuit_breaker|throttle|bulkhead|retry_budget|host_group)_\w+/g)),
  ]
}

describe('promtool', () => {
  it('has nothing to say about the text', async context => {
    requireTool('promtool', context)
    expect(await promtool(['check', 'metrics'], renderPrometheus(registry))).toBe('')
    const options = { prefix: 'shop_', labels: { zone: 'eu"1\n' } }
    expect(await promtool(['check', 'metrics'], renderPrometheus(registry, options))).toBe('')
    const empty = createRegistry({ clock: 'manual' })
    expect(await promtool(['check', 'metrics'], renderPrometheus(empty))).toBe('')
    empty.close()
    const resilience4j = renderPrometheus(registry, { compat: 'resilience4j' })
    expect(await promtool(['check', 'metrics'], resilience4j)).toBe('')
  })

  it("finds opossum's counter without _total, and nothing else", async context => {
    requireTool('promtool', context)
    const text = renderPrometheus(registry, { compat: 'opossum' })
    const said = await promtool(['check', 'metrics'], text).catch((error: Error) => error.message)
    expect(said).toContain('circuit counter metrics should have "_total" suffix')
    expect(said.trim().split('\n')).toHaveLength(1)
  })

  it('takes the rules, and its tests of them pass', async context => {
    requireTool('promtool', context)
    expect(await promtool(['check', 'rules', 'alerts.yml'])).toContain('SUCCESS')
    expect(await promtool(['test', 'rules', 'alerts.test.yml'])).toContain('SUCCESS')
    expect(await promtool(['check', 'config', 'prometheus.yml'])).toContain('SUCCESS')
  })

  it('takes every expression of the board', async context => {
    requireTool('promtool', context)
    const folder = mkdtempSync(join(tmpdir(), 'busbar-board-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const rules = boardExpressions().map((expr, index) => ({ record: `board:${index}`, expr }))
    const file = join(folder, 'board.yml')
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'board', rules }] }))
    expect(await promtool(['check', 'rules', file])).toContain(`${rules.length} rules found`)
  })
})

describe('the alert rules', () => {
  const rules = readMonitoring('alerts.yml')

  it('are about metrics that there are', () => {
    const known = knownNames()
    expect(metricsIn(rules).length).toBeGreaterThan(10)
    expect(metricsIn(rules).filter(name => !known.has(name))).toEqual([])
  })

  it('are each shown to fire and not to fire', () => {
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(10)
    const tests = readMonitoring('alerts.test.yml')
    for (const name of names) {
      expect(tests, name).toContain(`- { alertname: ${name}, eval_time: 100m }`)
      expect(tests, name).toMatch(new RegExp(`- alertname: ${name}\\n +eval_time: \\w+\\n +exp_al`))
    }
  })
})

describe('the board', () => {
  it('asks for metrics that there are, and for all but those of detail', () => {
    const known = knownNames()
    const text = readMonitoring('grafana.json')
    const asked = metricsIn(text)
    expect(asked.filter(name => !known.has(name))).toEqual([])
    const families = [...parse(renderPrometheus(registry)).keys()]
    expect(families.filter(name => !asked.some(one => one.startsWith(name)))).toEqual([])
  })

  it('has panels with titles, numbers and queries of their own', () => {
    const { panels, templating } = readBoard()
    const filled = panels.filter(({ type }) => type !== 'row')
    expect(filled.length).toBeGreaterThan(10)
    expect(filled.filter(({ targets = [] }) => targets.length === 0)).toEqual([])
    for (const key of ['id', 'title'] as const) {
      expect(new Set(panels.map(panel => panel[key])).size).toBe(panels.length)
    }
    expect(templating.list.map(({ type }) => type)).toEqual([
      'datasource',
      'query',
      'query',
      'query',
    ])
  })
})
