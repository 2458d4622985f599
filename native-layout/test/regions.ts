/** Regions as files, for programs that know nothing of Node.js. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createRegistry, type RegistryOptions } from '../../src/index.ts'

/** Writes bytes to a file that goes with the test. */
export function fileOf(bytes: Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-native-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'region')
  writeFileSync(path, bytes)
  return path
}

const COMMON = {
  waitDurationInOpenStateMs: { initialMs: 1, multiplier: 2, maxMs: 4, jitter: 0.5 },
  permittedNumberOfCallsInHalfOpenState: 3,
  halfOpenFailureRateThreshold: 0.6,
  minimumNumberOfCalls: 10,
  slowCallDurationThresholdMs: 1,
  slowCallRateThreshold: 0.9,
}

/** Breakers of every window that trip and recover often, and one with the default options. */
const BREAKERS = {
  time: { ...COMMON, slidingWindow: { type: 'time', durationMs: 20, buckets: 5 } },
  count: { ...COMMON, slidingWindow: { type: 'count', size: 30 } },
  row: { ...COMMON, slidingWindow: { type: 'consecutive', failures: 6 } },
  short: { ...COMMON, trialTimeoutMs: 1 },
  defaults: {},
} as const

export const NAMES = Object.keys(BREAKERS)

export function regionFile(options: RegistryOptions): string {
  const registry = createRegistry({ keeper: false, maxThreads: 3, ...options, maxBreakers: 6 })
  for (const [name, options] of Object.entries(BREAKERS)) registry.breaker(name, options)
  if (options.clock === 'manual') registry.advance(12_345)
  const path = fileOf(new Uint8Array(registry.handle.buffer).slice())
  registry.close()
  return path
}
