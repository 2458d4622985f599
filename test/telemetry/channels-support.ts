/** Listening to the channels for the length of a test. */
import {
  type ChannelListener,
  subscribe,
  tracingChannel,
  unsubscribe,
} from 'node:diagnostics_channel'
import { onTestFinished } from 'vitest'
import type { ExecuteTrace } from '../../src/channels.ts'

export const EVENTS = ['start', 'end', 'error', 'asyncStart', 'asyncEnd'] as const

/** The channels as users get them: by name. */
export const traced = tracingChannel<unknown, ExecuteTrace>('busbar:execute')

export function listen(name: string, listener: ChannelListener): void {
  subscribe(name, listener)
  onTestFinished(() => {
    unsubscribe(name, listener)
  })
}

/** What is published from now on under that name, copied as it is at that moment. */
export function messagesOf<T extends object>(name: string): T[] {
  const messages: T[] = []
  listen(name, message => messages.push({ ...(message as T) }))
  return messages
}

export interface Seen {
  readonly event: (typeof EVENTS)[number]
  /** A copy of the message as it was then. */
  readonly copy: ExecuteTrace
  /** The message itself. */
  readonly trace: ExecuteTrace
}

/** All events of calls from now on, in order. */
export function traceAll(): Seen[] {
  const seen: Seen[] = []
  for (const event of EVENTS) {
    listen(`tracing:busbar:execute:${event}`, message => {
      const trace = message as ExecuteTrace
      seen.push({ event, copy: { ...trace }, trace })
    })
  }
  return seen
}

export function eventsOf(seen: readonly Seen[]): string[] {
  return seen.map(({ event }) => event)
}
