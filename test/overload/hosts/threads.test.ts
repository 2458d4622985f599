import { expect, it, onTestFinished } from 'vitest'
import { createRegistry, type Registry } from '../../../src/index.ts'
import type { HostGroup } from '../../../src/overload/hosts.ts'
import { baseSeed } from '../../model/random.ts'
import { closedGate, type Member, start, until } from '../../threads/crew.ts'

const WORKER = new URL('worker.mjs', import.meta.url)
const THREADS = 4
const BASE_EJECTION_MS = 50
const HOSTS = Array.from({ length: 20 }, (_, n) => `host-${n}`)

function make(maxEjectionPercent: number): { registry: Registry; group: HostGroup } {
  const registry = createRegistry({ clock: 'manual', maxThreads: THREADS + 1, maxControls: 32 })
  onTestFinished(() => registry.close())
  const group = registry.hosts('g', {
    consecutiveFailures: 3,
    maxEjectionPercent,
    intervalMs: 10_000,
    baseEjectionMs: BASE_EJECTION_MS,
    maxEjectionMs: BASE_EJECTION_MS,
    successRate: { stdevFactor: 0 },
    failurePercentage: { threshold: 0 },
  })
  for (const host of HOSTS) group.record(host, 'success')
  return { registry, group }
}

function startAll<T>(registry: Registry, job: string, args: object, gate = closedGate()) {
  return Array.from({ length: THREADS }, (_, index) =>
    start<T>(registry, job, { ...args, group: 'g', threads: THREADS }, index, gate, WORKER),
  )
}

async function openGate(gate: Int32Array, members: Member<unknown>[]): Promise<void> {
  await until(() => Atomics.load(gate, 1) === members.length)
  Atomics.store(gate, 0, 1)
}

it('four threads that fail all hosts at once eject exactly as many as are allowed, the same for all', async () => {
  const { registry, group } = make(30)
  const rounds = 60
  const barrier = new SharedArrayBuffer(4 * (1 + 2 * rounds))
  const counts = new Int32Array(barrier)
  const gate = closedGate()
  const args = { hosts: HOSTS, failures: 3, rounds, barrier }
  const members = startAll<string[][]>(registry, 'failRounds', args, gate)
  await openGate(gate, members)
  const seen: string[][] = []
  for (let round = 0; round < rounds; round++) {
    await until(() => Atomics.load(counts, 2 + 2 * round) === THREADS)
    const { hosts, ejected, maxEjected } = group.snapshot()
    expect([ejected, maxEjected]).toEqual([6, 6])
    seen.push(hosts.filter(host => host.ejected).map(({ host }) => host))
    registry.advance(BASE_EJECTION_MS)
    expect(group.snapshot().ejected).toBe(0)
    Atomics.store(counts, 0, round + 1)
  }
  for (const member of members) expect(await member.result).toEqual(seen)
}, 60_000)

it('no call is lost, whichever threads record it', async () => {
  const { registry, group } = make(10)
  const seed = baseSeed('hosts, hammer')
  const gate = closedGate()
  const calls = 50_000
  type Counts = Record<string, { succeeded: number; failed: number }>
  const members = startAll<Counts>(registry, 'hammer', { hosts: HOSTS, calls, seed }, gate)
  await openGate(gate, members)
  const counted = await Promise.all(members.map(({ result }) => result))
  await Promise.all(members.map(({ exited }) => exited))
  for (const { host, totals } of group.snapshot().hosts) {
    const failed = counted.reduce((sum, mine) => sum + (mine[host]?.failed ?? 0), 0)
    const succeeded = counted.reduce((sum, mine) => sum + (mine[host]?.succeeded ?? 0), 1)
    expect(totals, host).toEqual({ succeeded, failed })
  }
})

it('threads that are killed in the midst leave the cap, and places for others', async () => {
  const { registry, group } = make(30)
  const seed = baseSeed('hosts, deaths')
  for (let round = 0; round < 10; round++) {
    const gate = closedGate()
    const members = startAll<never>(
      registry,
      'hammerOn',
      { hosts: HOSTS, seed: seed + round },
      gate,
    )
    await openGate(gate, members)
    // They die somewhere in ejections that begin as often as the time moves on.
    for (let turn = 0; turn < 30; turn++) {
      registry.advance(BASE_EJECTION_MS)
      await new Promise(setImmediate)
      expect(group.snapshot().ejected).toBeLessThanOrEqual(6)
    }
    await Promise.all(members.map(({ worker }) => worker.terminate()))
    registry.advance(BASE_EJECTION_MS)
    expect(group.snapshot().ejected).toBe(0)
    for (let failure = 0; failure < 3; failure++) {
      for (const host of HOSTS) group.record(host, 'failure')
    }
    expect(group.snapshot().ejected).toBe(6)
    registry.advance(BASE_EJECTION_MS)
  }
}, 60_000)
