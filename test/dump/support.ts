/** Regions in files, and the tool run on them as a user runs it. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { createRegistry, type Registry } from '../../src/index.ts'
import { viewsOf } from '../../src/memory/atomics.ts'
import { ExporterLease } from '../../src/protocol/lease.ts'

const TOOL = fileURLToPath(new URL('../../native-layout/tools/busbar-dump.mjs', import.meta.url))

/** A folder for the running test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-dump-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export function runTool(...args: string[]): Promise<Ran> {
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env
  const options = { timeout: 20_000, env, maxBuffer: 1 << 28 }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [TOOL, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code
      if (typeof code === 'number') resolve({ code, stdout, stderr })
      else reject(error)
    })
  })
}

/** A breaker in each state and of each window, controls; 7 s on a manual clock, without jitter. */
export function makeStates(): Registry {
  const registry = createRegistry({
    clock: 'manual',
    maxThreads: 3,
    maxBreakers: 8,
    maxControls: 8,
    defaults: { timeoutMs: 800, minimumNumberOfCalls: 10 },
  })
  registry.advance(5000)
  const wait = { waitDurationInOpenStateMs: { initialMs: 1000, multiplier: 2 } }
  const closed = registry.breaker('closed', { ...wait, slowCallDurationThresholdMs: 50 })
  for (let call = 0; call < 24; call++) {
    const permit = closed.tryAcquire()
    if (call % 12 === 5) closed.recordFailure(permit, 60)
    else if (call % 12 === 9) closed.release(permit)
    else closed.recordSuccess(permit, call % 12 === 2 ? 60 : 1)
    if (call % 8 === 0) registry.advance(500)
  }
  closed.tryAcquire()
  const count = { slidingWindow: { type: 'count', size: 10 } } as const
  const open = registry.breaker('open', { ...wait, ...count })
  for (let call = 0; call < 10; call++) {
    if (call < 5) open.recordSuccess(open.tryAcquire())
    else open.recordFailure(open.tryAcquire())
  }
  open.tryAcquire()
  const row = { slidingWindow: { type: 'consecutive', failures: 3 } } as const
  const halfOpen = registry.breaker('half-open', {
    ...row,
    waitDurationInOpenStateMs: 500,
    trialTimeoutMs: 2000,
  })
  for (let call = 0; call < 3; call++) halfOpen.recordFailure(halfOpen.tryAcquire())
  const throttle = overload(registry)
  registry.advance(500)
  throttle()
  halfOpen.tryAcquire()
  halfOpen.recordSuccess(halfOpen.tryAcquire())
  const forced = registry.breaker('forced', count)
  forced.forceOpen({ reason: 'a move, until Ümit is done', ttlMs: 250 })
  for (let call = 0; call < 2; call++) forced.tryAcquire()
  registry.breaker('forced for ever', row).forceOpen()
  registry.breaker('disabled').disable()
  const metrics = registry.breaker('metrics only', row)
  metrics.metricsOnly()
  metrics.recordFailure(metrics.tryAcquire())
  new ExporterLease(viewsOf(registry.handle.buffer)).hold(7000, 30_000)
  return registry
}

/** A control of each kind, as many calls as were asked for. What is to be done half a second on. */
function overload(registry: Registry): () => void {
  const throttle = registry.throttle('backend', { windowMs: 1000 })
  const asked = Array.from({ length: 12 }, () => throttle.tryAcquire())
  for (const permit of asked.slice(0, 8)) throttle.recordRejected(permit)
  const bulkhead = registry.bulkhead('pool', { maxConcurrentCalls: 3, maxQueuedCalls: 2 })
  for (let call = 0; call < 4; call++) bulkhead.tryAcquire()
  const budget = registry.retryBudget('retries', { minimumPerSecond: 0 })
  for (let call = 0; call < 10; call++) budget.recordCall()
  for (let retry = 0; retry < 3; retry++) budget.tryRetry()
  const hosts = registry.hosts('hosts', { consecutiveFailures: 2, baseEjectionMs: 1000 })
  for (const host of ['10.0.0.1', '10.0.0.2']) hosts.record(host, 'success')
  for (let call = 0; call < 2; call++) hosts.record('10.0.0.2', 'failure')
  return () => {
    for (const permit of asked.slice(8, 11)) throttle.recordAccepted(permit)
  }
}
