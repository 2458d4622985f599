/** The dashboard: a read-only page about a registry, for `node:http` and frameworks on it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { InvalidOptionError } from '../errors.ts'
import { numberOf, readFields, wholeBetween } from '../options/read.ts'
import { Broadcast } from './broadcast.ts'
import { isCrossSite, type Refusal, refusalOf } from './guard.ts'
import { type PageFile, readPageFiles } from './page-files.ts'
import type { Source } from './source.ts'

export interface DashboardOptions {
  /**
   * Whether others than this machine may look. Default: false, requests from other addresses, and
   * those that name another host than this machine, are refused with 403. Set it only behind
   * something that knows who asks: the page shows the names and the traffic of all breakers.
   */
  readonly allowRemote?: boolean | undefined
  /** Milliseconds between two looks at the registry while anybody watches. 250 to 10,000; 1,000. */
  readonly intervalMs?: number | undefined
  /** Streams at a time; who comes on top gets 503. 1 to 1,024; default 32. */
  readonly maxClients?: number | undefined
}

export type DashboardHandler = (request: IncomingMessage, response: ServerResponse) => void

const INTERVAL_MS = wholeBetween(250, 10_000)
const CLIENTS = wholeBetween(1, 1024)

const HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store, no-transform',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/**
 * A handler that serves the page, its stream (`events`, server-sent events) and one snapshot
 * (`snapshot.json`) wherever it is mounted; the page's own path must end with a slash. It looks at
 * the registry once an interval for all who watch, and not at all while nobody does. Nothing that
 * a client sends changes anything, makes a call slower or keeps the process alive.
 *
 * @throws InvalidOptionError; Error where the page's files are not beside this module
 */
export function dashboard(registry: Source, options?: DashboardOptions): DashboardHandler {
  requireRegistry(registry)
  const { allowRemote, intervalMs, maxClients } = readOptions(options)
  const files = readPageFiles()
  const broadcast = new Broadcast(registry, intervalMs, maxClients)
  return (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    const refusal = refusalOf(request, allowRemote) ?? route(request, response)
    if (refusal !== undefined) refuse(request, response, refusal)
  }

  function route(request: IncomingMessage, response: ServerResponse): Refusal | undefined {
    const path = pathOf(request.url)
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (name === '' && lacksSlash(request)) return redirect(request)
    const file = files.get(name)
    if (file !== undefined) return send(request, response, file)
    const answer = name === 'events' || name === 'snapshot.json' ? name : undefined
    if (answer === undefined) return NOT_FOUND
    if (isCrossSite(request)) return { status: 403, message: 'not for the pages of other sites' }
    if (answer === 'events') return broadcast.join(request, response)
    const made = broadcast.json()
    if (!Buffer.isBuffer(made)) return made
    return send(request, response, { type: 'application/json; charset=utf-8', body: made })
  }
}

const NOT_FOUND: Refusal = {
  status: 404,
  message: 'not here; the address of the dashboard ends with a slash',
}

function requireRegistry(registry: unknown): void {
  const parts = ['snapshot', 'history', 'get']
  const isRegistry =
    typeof registry === 'object' &&
    registry !== null &&
    parts.every(part => typeof Reflect.get(registry, part) === 'function')
  if (!isRegistry) throw new InvalidOptionError('registry', registry, 'a registry')
}

function readOptions(options: unknown) {
  const what = 'options'
  const known = ['allowRemote', 'intervalMs', 'maxClients']
  const fields = readFields(what, options === undefined ? {} : options, known)
  const allowRemote = fields.get('allowRemote') ?? false
  if (typeof allowRemote !== 'boolean') {
    throw new InvalidOptionError(`${what}.allowRemote`, allowRemote, 'true or false')
  }
  return {
    allowRemote,
    intervalMs: numberOf(what, fields, 'intervalMs', INTERVAL_MS, 1_000),
    maxClients: numberOf(what, fields, 'maxClients', CLIENTS, 32),
  }
}

function pathOf(url: string | undefined): string {
  return (url ?? '/').split(/[?#]/, 1)[0] ?? '/'
}

/**
 * Frameworks strip the path of the mount: `/breakers` and `/breakers/` both come as `/`, but what
 * the page asks for next stands below the second only.
 */
function lacksSlash(request: IncomingMessage): boolean {
  const original: unknown = Reflect.get(request, 'originalUrl')
  return typeof original === 'string' && !pathOf(original).endsWith('/')
}

function redirect(request: IncomingMessage): Refusal {
  const path = pathOf(String(Reflect.get(request, 'originalUrl')))
  // Relative, so that it holds behind a proxy too. "./" keeps a name with a colon from being a URL.
  const location = `./${path.slice(path.lastIndexOf('/') + 1)}/`
  return { status: 307, message: 'with a slash', headers: { Location: location } }
}

function send(request: IncomingMessage, response: ServerResponse, file: PageFile): undefined {
  response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': file.body.length })
  response.end(request.method === 'HEAD' ? undefined : file.body)
}

function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const { status, message, headers } = refusal
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers })
  response.end(request.method === 'HEAD' ? undefined : `${message}\n`)
}
