/** Who may look. The dashboard shows names and traffic, so by default only this machine may. */

import type { IncomingMessage } from 'node:http'
import { BlockList } from 'node:net'

export interface Refusal {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

export function isLoopbackAddress(address: string | undefined): boolean {
  if (address === undefined) return false
  return LOOPBACK.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}

/** Whether a Host header names this machine: its loopback addresses, `localhost` and below. */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = host?.match(/^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i)
  const found = (name?.[1] ?? name?.[2] ?? '').toLowerCase()
  return found === 'localhost' || found.endsWith('.localhost') || isLoopbackAddress(found)
}

/** Why a request is not answered; undefined where it is. */
export function refusalOf(request: IncomingMessage, allowRemote: boolean): Refusal | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return { status: 405, message: 'read-only: GET and HEAD', headers: { Allow: 'GET, HEAD' } }
  }
  if (allowRemote) return undefined
  if (!isLoopbackAddress(request.socket.remoteAddress)) {
    return { status: 403, message: 'for this machine only; the option allowRemote: true opens it' }
  }
  const { host, ':authority': authority } = request.headers
  const named = host ?? (typeof authority === 'string' ? authority : undefined)
  if (isLoopbackHost(named)) return undefined
  // A page of another site can have its own name lead here and then read what it gets.
  return { status: 403, message: 'the host named is not this machine; see allowRemote' }
}

/** Whether another site's page asks, as browsers say. Such a page may lead here, not read. */
export function isCrossSite(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}
