/**
 * `busbar/prometheus`: the breakers of a registry as metrics, written out as text, or through
 * prom-client. Everything is computed when it is asked for and nothing is kept, so any thread can
 * answer for the process, and a total never goes back when a thread comes or goes.
 */
export type { MetricsSource } from './metrics.ts'
export { collectInto, type PromClientRegistry } from './prometheus-client.ts'
export type { MetricsOptions } from './prometheus-options.ts'
export { PROMETHEUS_CONTENT_TYPE, renderPrometheus } from './prometheus-text.ts'
