/**
 * What hears of a request in undici's place and passes everything on: handlers as undici 7 and 8
 * have them, and as undici 6 and the built-in fetch do. A handler is called, never copied: its
 * methods need their own object.
 */
import { type Exchange, fieldOf, isTimeout } from '../http/exchange.ts'

/** What is judged. */
export interface UndiciResponse {
  readonly statusCode: number
  /** By name in lower case; an array where a field came more than once. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A handler of either style. */
export type Handler = Record<string, ((...args: unknown[]) => unknown) | undefined>

type UndiciExchange = Exchange<UndiciResponse>

/** Below: informational, the response is yet to come. */
const FIRST_FINAL_STATUS = 200

/** By these undici says that the request was not made, or was ended, from this side. */
const OUR_CODES: readonly unknown[] = [
  'UND_ERR_ABORTED',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_MAX_ORIGINS_REACHED',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]

export function isCurrent(handler: Handler): boolean {
  return typeof handler.onRequestStart === 'function'
}

/** A handler in the style of `handler` that tells `exchange` what it passes on. */
export function watched(handler: Handler, exchange: UndiciExchange): object {
  return isCurrent(handler) ? new Watched(handler, exchange) : new WatchedLegacy(handler, exchange)
}

/** What both styles have. undici minds no method too many, but too few. */
class Passing {
  readonly #handler: Handler
  protected readonly exchange: UndiciExchange

  constructor(handler: Handler, exchange: UndiciExchange) {
    this.#handler = handler
    this.exchange = exchange
  }

  /** A handler that throws ends the request: that is not the dependency's doing. */
  protected pass(method: string, ...args: unknown[]): unknown {
    try {
      return this.#handler[method]?.(...args)
    } catch (error) {
      this.exchange.fail(error, true)
      throw error
    }
  }

  protected respond(response: UndiciResponse): void {
    if (response.statusCode >= FIRST_FINAL_STATUS) this.exchange.respond(response)
  }

  /** The connection is the caller's from here on: what comes of it is not heard. */
  protected upgrade(response: UndiciResponse): void {
    if (this.exchange.respond(response)) this.exchange.complete()
  }

  protected fail(error: unknown, aborted: boolean): unknown {
    const isOurs = (aborted && !isTimeout(error)) || OUR_CODES.includes(fieldOf(error, 'code'))
    return this.exchange.fail(error, isOurs)
  }

  onResponseStarted(...args: unknown[]): unknown {
    return this.pass('onResponseStarted', ...args)
  }

  onBodySent(...args: unknown[]): unknown {
    return this.pass('onBodySent', ...args)
  }

  onRequestSent(...args: unknown[]): unknown {
    return this.pass('onRequestSent', ...args)
  }
}

type Headers = UndiciResponse['headers']

/** `controller.aborted`: whether the caller ended the request. */
class Watched extends Passing {
  onRequestStart(...args: unknown[]): unknown {
    return this.pass('onRequestStart', ...args)
  }

  onRequestUpgrade(controller: unknown, statusCode: number, headers: Headers, socket: unknown) {
    this.upgrade({ statusCode, headers })
    return this.pass('onRequestUpgrade', controller, statusCode, headers, socket)
  }

  onResponseStart(controller: unknown, statusCode: number, headers: Headers, message: unknown) {
    this.respond({ statusCode, headers })
    return this.pass('onResponseStart', controller, statusCode, headers, message)
  }

  onResponseData(controller: unknown, chunk: unknown): unknown {
    return this.pass('onResponseData', controller, chunk)
  }

  onResponseEnd(controller: unknown, trailers: unknown): unknown {
    this.exchange.complete()
    return this.pass('onResponseEnd', controller, trailers)
  }

  onResponseError(controller: unknown, error: unknown): unknown {
    const aborted = fieldOf(controller, 'aborted') === true
    return this.pass('onResponseError', controller, this.fail(error, aborted))
  }
}

/** Names and values in turn, as they came over the wire. */
type RawHeaders = readonly (Buffer | string)[]

class WatchedLegacy extends Passing {
  #aborted = false

  onConnect(abort: (reason: unknown) => void, context: unknown): unknown {
    const noted = (reason: unknown): void => {
      this.#aborted = true
      abort(reason)
    }
    return this.pass('onConnect', noted, context)
  }

  onUpgrade(statusCode: number, raw: RawHeaders, socket: unknown): unknown {
    this.upgrade(responseOf(statusCode, raw))
    return this.pass('onUpgrade', statusCode, raw, socket)
  }

  onHeaders(statusCode: number, raw: RawHeaders, resume: unknown, message: unknown): unknown {
    this.respond(responseOf(statusCode, raw))
    return this.pass('onHeaders', statusCode, raw, resume, message)
  }

  onData(chunk: unknown): unknown {
    return this.pass('onData', chunk)
  }

  onComplete(trailers: unknown): unknown {
    this.exchange.complete()
    return this.pass('onComplete', trailers)
  }

  onError(error: unknown): unknown {
    return this.pass('onError', this.fail(error, this.#aborted))
  }
}

/** Headers are parsed where somebody looks at them. */
function responseOf(statusCode: number, raw: RawHeaders): UndiciResponse {
  return {
    statusCode,
    get headers() {
      return headersOf(raw)
    },
  }
}

function headersOf(raw: RawHeaders): Headers {
  const headers: Record<string, string | string[]> = Object.create(null)
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = textOf(raw[index]).toLowerCase()
    const value = textOf(raw[index + 1])
    const before = headers[name]
    headers[name] = before === undefined ? value : [before, value].flat()
  }
  return headers
}

function textOf(text: Buffer | string | undefined): string {
  return typeof text === 'string' ? text : (text?.toString('latin1') ?? '')
}
