/** What the tests of pipelines share. */
import { createRegistry, type PipelineOptions, type Registry } from '../../src/index.ts'

/** Every part but retries. */
export const ALL: PipelineOptions = {
  throttle: { windowMs: 1000, minimumRequestsPerSecond: 10 },
  bulkhead: { maxConcurrentCalls: 2 },
  breaker: { slidingWindow: { type: 'consecutive', failures: 3 } },
}

export const make = (): Registry =>
  createRegistry({ clock: 'manual', maxBreakers: 4, maxThreads: 2, maxControls: 16 })

export const fine = async (): Promise<string> => 'fine'

export const failing = async (): Promise<string> => {
  throw new Error('down')
}
