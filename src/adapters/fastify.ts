/**
 * `busbar/fastify` (tested with Fastify 5.12), a plugin: breakers at the server, refusals as 503,
 * routes for health checks and metrics. Fastify is typed by shape; nothing of it is imported.
 */
import type { CircuitBreaker } from '../breaker.ts'
import {
  BulkheadFullError,
  CircuitOpenError,
  InvalidOptionError,
  isRefusal,
  ThrottledError,
} from '../errors.ts'
import { type Health, type HealthOptions, health } from '../health.ts'
import { type Fields, readFields } from '../options/read.ts'
import type { BreakerOptions } from '../options/types.ts'
import { getRegistry } from '../process.ts'
import type { Registry } from '../registry.ts'
import type { MetricsOptions } from '../telemetry/prometheus-options.ts'
import { PROMETHEUS_CONTENT_TYPE, renderPrometheus } from '../telemetry/prometheus-text.ts'

export interface BusbarOptions {
  /**
   * Default: the process's, `getRegistry()`. That one is closed, and this thread's slot given back,
   * with the last server in the thread that got it so. One that is given here its maker closes.
   */
  readonly registry?: Registry | undefined
  /**
   * A route that answers with `health(registry)`: 503 when that fails, else 200. `true`: at
   * `/health`; a string: at that path. Nothing fails that `failOn` does not name. Default: none.
   */
  readonly health?: boolean | string | HealthRoute | undefined
  /** A route for Prometheus. `true`: at `/metrics`; a string: at that path. Default: none. */
  readonly metrics?: boolean | string | MetricsRoute | undefined
}

export interface HealthRoute extends HealthOptions {
  /** Default `/health`. */
  readonly path?: string | undefined
}

export interface MetricsRoute extends MetricsOptions {
  /** Default `/metrics`. */
  readonly path?: string | undefined
}

/** What the plugin needs of a FastifyInstance. */
export interface ServerShape {
  decorate(name: string, value: unknown): unknown
  addHook(name: string, hook: (...args: never[]) => void): unknown
  route(options: {
    method: string | string[]
    url: string
    handler: (...args: never[]) => unknown
  }): unknown
}

/** What it needs of a FastifyReply. */
export interface ReplyShape {
  code(statusCode: number): unknown
  header(name: string, value: string): unknown
}

/**
 * What the plugin adds to a server. In TypeScript, say so once:
 * `declare module 'fastify' { interface FastifyInstance extends BusbarDecorators {} }`
 */
export interface BusbarDecorators {
  /** `busbar.breaker(name, options)` */
  breaker(name: string, options?: BreakerOptions): CircuitBreaker
  /** The registry: for breakers by key, pipelines and all else. */
  readonly busbar: Registry
}

const OK = 200
const UNAVAILABLE = 503
const MS_PER_SECOND = 1000

// For error handlers that ask the error, as Fastify's own does.
for (const { prototype } of [CircuitOpenError, ThrottledError, BulkheadFullError]) {
  Object.defineProperty(prototype, 'statusCode', { value: UNAVAILABLE })
}

/**
 * `app.register(busbar, options)`: for that server and all that is registered at it. A refusal that
 * a route or a hook rejects with is answered with 503, its `code`, and `Retry-After` in whole
 * seconds: none where nobody knows when. Error handlers of your own are asked as ever, with status
 * and header set in the reply already. A call that is not refused costs nothing.
 *
 * @throws InvalidOptionError, NoRegistryError in a worker that has no registry
 */
export async function busbar(server: ServerShape, options: BusbarOptions): Promise<void> {
  const fields = readFields('options', options, ['registry', 'health', 'metrics'])
  const healthAt = readRoute<HealthOptions>(fields, 'health', ['failOn'])
  const metricsAt = readRoute<MetricsOptions>(fields, 'metrics', ['compat', 'prefix', 'labels'])
  const registry = readRegistry(fields) ?? takeOwn(server)
  server.decorate('busbar', registry)
  server.decorate('breaker', (name: string, options?: BreakerOptions) =>
    registry.breaker(name, options),
  )
  // Not setErrorHandler: each scope has one, and that is the user's.
  server.addHook('onError', answerRefusal)
  if (healthAt !== undefined) serveHealth(server, registry, healthAt)
  if (metricsAt !== undefined) serveMetrics(server, registry, metricsAt)
}

// As fastify-plugin marks its plugins: no scope of its own, and a name that others can depend on.
Object.assign(busbar, {
  [Symbol.for('skip-override')]: true,
  [Symbol.for('plugin-meta')]: { name: 'busbar' },
})

function answerRefusal(_: unknown, reply: ReplyShape, error: unknown, done: () => void): void {
  if (isRefusal(error)) {
    reply.code(UNAVAILABLE)
    const seconds = retryAfterSeconds(error)
    if (seconds !== undefined) reply.header('retry-after', String(seconds))
  }
  done()
}

/** At least 1, also where a refusal says no time; undefined where only a command can end it. */
function retryAfterSeconds(refusal: { code: string; retryAfterMs?: number }): number | undefined {
  const { retryAfterMs = 0 } = refusal
  const seconds = Math.max(1, Math.ceil(retryAfterMs / MS_PER_SECOND))
  return Number.isFinite(seconds) ? seconds : undefined
}

interface Route<T> {
  readonly path: string
  readonly options: T
}

// Both routes look once as they are made: options that cannot be used are errors now, not later.

function serveHealth(server: ServerShape, registry: Registry, route: Route<HealthOptions>): void {
  health(registry, route.options)
  const handler = (_request: unknown, reply: ReplyShape): Health => {
    const found = health(registry, route.options)
    reply.code(found.status === 'fail' ? UNAVAILABLE : OK)
    return found
  }
  server.route({ method: 'GET', url: route.path, handler })
}

function serveMetrics(server: ServerShape, registry: Registry, route: Route<MetricsOptions>): void {
  renderPrometheus(registry, route.options)
  const handler = (_request: unknown, reply: ReplyShape): string => {
    reply.header('content-type', PROMETHEUS_CONTENT_TYPE)
    return renderPrometheus(registry, route.options)
  }
  server.route({ method: 'GET', url: route.path, handler })
}

function readRoute<T>(given: Fields, key: string, known: readonly string[]): Route<T> | undefined {
  const value = given.get(key)
  if (value === undefined || value === false) return undefined
  const asked = value === true ? {} : typeof value === 'string' ? { path: value } : value
  const fields = readFields(`options.${key}`, asked, ['path', ...known])
  const { path = `/${key}`, ...options } = Object.fromEntries(fields)
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new InvalidOptionError(`options.${key}`, path, 'true, or a path that starts with /')
  }
  return { path, options: options as T }
}

function readRegistry(fields: Fields): Registry | undefined {
  const registry = fields.get('registry')
  if (registry === undefined || typeof Object(registry).breaker === 'function') {
    return registry as Registry | undefined
  }
  throw new InvalidOptionError('options.registry', registry, 'a registry of busbar')
}

/** How many servers of this thread use the process's registry: closed with the last. */
const servers = new WeakMap<Registry, number>()

function takeOwn(server: ServerShape): Registry {
  const registry = getRegistry()
  servers.set(registry, (servers.get(registry) ?? 0) + 1)
  server.addHook('onClose', (_server: unknown, done: () => void) => {
    const left = (servers.get(registry) ?? 1) - 1
    servers.set(registry, left)
    if (left === 0) registry.close()
    done()
  })
  return registry
}
