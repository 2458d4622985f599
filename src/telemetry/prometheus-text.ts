/** Metrics written out in the Prometheus text format 0.0.4. */
import { type Labels, type Look, lookAt, type Metric, type MetricsSource } from './metrics.ts'
import { type MetricsOptions, readMetricsOptions, requireSource } from './prometheus-options.ts'

/** The content type of what `renderPrometheus` returns. */
export const PROMETHEUS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * The breakers of all threads in the Prometheus text format 0.0.4, metrics in a fixed order,
 * breakers in the order in which they were made. Cost: 0.1 ms and 3 kB of text for each breaker,
 * some microseconds more for each further thread that gives durations; for other threads nothing.
 *
 * @throws InvalidOptionError, NoRegistryError when the registry is closed
 */
export function renderPrometheus(registry: MetricsSource, options?: MetricsOptions): string {
  const { metrics, labels } = readMetricsOptions(options)
  requireSource(registry)
  const look = lookAt(registry)
  const constant = pairsOf(labels)
  return metrics.map(metric => `${linesOf(metric, look, constant).join('\n')}\n`).join('')
}

function linesOf({ name, help, type, groups }: Metric, look: Look, constant: string): string[] {
  const lines = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`]
  for (const group of groups(look)) {
    const common = pairsOf(group.labels)
    for (const { suffix = '', labels, value } of group.series) {
      const pairs = `${common}${pairsOf(labels)}${constant}`
      const braced = pairs === '' ? '' : `{${pairs.slice(0, -1)}}`
      lines.push(`${name}${suffix}${braced} ${numberOf(value)}`)
    }
  }
  return lines
}

/** `a="1",b="2",` */
function pairsOf(labels: Labels): string {
  let pairs = ''
  for (const name of Object.keys(labels)) pairs += `${name}="${escapeValue(labels[name] ?? '')}",`
  return pairs
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeValue(text: string): string {
  return /[\\"\n]/.test(text) ? escapeHelp(text).replaceAll('"', '\\"') : text
}

function numberOf(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value)
}
