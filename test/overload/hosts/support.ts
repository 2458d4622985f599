/** Groups for the tests of host ejection, with rules that are off unless a test says otherwise. */
import { onTestFinished } from 'vitest'
import { createRegistry, type Registry } from '../../../src/index.ts'
import type { HostGroup, HostSnapshot } from '../../../src/overload/hosts.ts'
import type { HostGroupOptions } from '../../../src/overload/types.ts'

export const INTERVAL_MS = 1000

export const OFF: HostGroupOptions = {
  intervalMs: INTERVAL_MS,
  baseEjectionMs: 300,
  maxEjectionMs: 1000,
  successRate: { stdevFactor: 0 },
  failurePercentage: { threshold: 0 },
}

export function groupOf(
  options: HostGroupOptions,
  more = {},
): { registry: Registry; group: HostGroup } {
  const registry = createRegistry({ clock: 'manual', maxThreads: 2, ...more })
  onTestFinished(() => registry.close())
  return { registry, group: registry.hosts('g', { ...OFF, ...options }) }
}

export function record(group: HostGroup, host: string, successes: number, failures: number): void {
  for (let call = 0; call < successes; call++) group.record(host, 'success')
  for (let call = 0; call < failures; call++) group.record(host, 'failure')
}

export function stateOf(group: HostGroup, host: string): HostSnapshot {
  const found = group.snapshot().hosts.find(one => one.host === host)
  if (found === undefined) throw new Error(`no host ${host}`)
  return found
}
