/** Subscribes to every channel of calls, for test files that are to run as if by an APM's side. */
import { subscribe, tracingChannel } from 'node:diagnostics_channel'
import type { ExecuteTrace } from '../../../src/channels.ts'

function ignore(): void {}

subscribe('busbar:refused', ignore)
tracingChannel<unknown, ExecuteTrace>('busbar:execute').subscribe({
  start: ignore,
  end: ignore,
  asyncStart: ignore,
  asyncEnd: ignore,
  error: ignore,
})
