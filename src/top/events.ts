/** The dashboard's stream as events. */
import { type Frame, type Snapshot, WIRE_VERSION } from '../dashboard/wire.ts'
import { visible } from '../inspect/table.ts'
import { Complaint } from './arguments.ts'

export type StreamEvent =
  | { readonly event: 'snapshot'; readonly data: Snapshot }
  | { readonly event: 'frame'; readonly data: Frame }
  | { readonly event: 'closed'; readonly data: { readonly message: string } }

/** One event of 1,000 breakers takes about a megabyte: what has no end is not a dashboard. */
const MAX_EVENT_CHARACTERS = 64_000_000

/**
 * Connects and gives what comes until the stream ends.
 *
 * @throws Complaint where nobody answers, or not as a dashboard does
 */
export async function* eventsOf(url: URL, signal?: AbortSignal): AsyncGenerator<StreamEvent> {
  const response = await ask(url, signal)
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    if (text.length > MAX_EVENT_CHARACTERS) throw notADashboard(url)
    for (const each of events) {
      const event = readEvent(each, url)
      if (event !== undefined) yield event
    }
  }
}

async function ask(url: URL, signal?: AbortSignal): Promise<Response> {
  const headers = { accept: 'text/event-stream' }
  let response: Response
  try {
    response = await fetch(new URL('events', url), { signal: signal ?? null, headers })
  } catch (error) {
    throw new Complaint(`${url.href} cannot be reached: ${causeOf(error)}`, 1)
  }
  if (response.status === 403 || response.status === 503) {
    const why = visible((await response.text()).trim().slice(0, 200))
    throw new Complaint(`${url.href} answers ${response.status}: ${why}`, 1)
  }
  const type = response.headers.get('content-type') ?? ''
  if (response.ok && type.startsWith('text/event-stream')) return response
  await response.body?.cancel()
  throw notADashboard(url, response.status)
}

function notADashboard(url: URL, status?: number): Complaint {
  const found = status === undefined || status === 200 ? '' : ` (it answers ${status})`
  return new Complaint(`${url.href} is not a busbar dashboard${found}`, 1)
}

/** fetch says "fetch failed" and hides the reason behind it. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const code: unknown = typeof cause === 'object' && cause ? Reflect.get(cause, 'code') : undefined
  if (typeof code === 'string') return code
  return cause instanceof Error ? visible(cause.message) : 'no reason given'
}

function readEvent(text: string, url: URL): StreamEvent | undefined {
  const fieldOf = (name: string): string | undefined =>
    text
      .split('\n')
      .find(line => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const event = fieldOf('event')
  const data = fieldOf('data')
  if (data === undefined) return undefined
  if (event !== 'snapshot' && event !== 'frame' && event !== 'closed') return undefined
  const parsed = parse(data, url) as StreamEvent['data']
  if (event === 'snapshot' && 'version' in parsed && parsed.version !== WIRE_VERSION) {
    const message = `${url.href} speaks version ${Number(parsed.version)}, this is ${WIRE_VERSION}`
    throw new Complaint(`${message}: use the busbar that it was made with`, 1)
  }
  return { event, data: parsed } as StreamEvent
}

function parse(data: string, url: URL): unknown {
  try {
    const parsed: unknown = JSON.parse(data)
    if (typeof parsed === 'object' && parsed !== null) return parsed
  } catch {
    // The same complaint.
  }
  throw notADashboard(url)
}
