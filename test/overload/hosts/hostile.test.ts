import { describe, expect, it, onTestFinished } from 'vitest'
import { attachRegistry, createRegistry, type Registry } from '../../../src/index.ts'
import type { Memory } from '../../../src/memory/atomics.ts'
import { CONTROL, MAX_EJECTED } from '../../../src/memory/controls.ts'
import { HEADER, LINE_WORDS } from '../../../src/memory/layout.ts'
import { attachRegion } from '../../../src/memory/region.ts'
import { packEjection, packPlace } from '../../../src/memory/words/hosts.ts'
import type { HostGroup } from '../../../src/overload/hosts.ts'
import { type Control, ControlDirectory } from '../../../src/protocol/control.ts'
import { baseSeed, Random } from '../../model/random.ts'

const SEEDS = 40
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
const INTERVAL_MS = 100
const MAX_EJECTION_MS = 500
const JITTER = 0.5

interface Made {
  readonly registry: Registry
  readonly group: HostGroup
  readonly memory: Memory
  readonly record: Control
  readonly hosts: readonly Control[]
}

function make(): Made {
  const registry = createRegistry({ clock: 'manual', maxThreads: 2, maxControls: 16 })
  onTestFinished(() => registry.close())
  const group = registry.hosts('g', {
    consecutiveFailures: 2,
    intervalMs: INTERVAL_MS,
    baseEjectionMs: INTERVAL_MS,
    maxEjectionMs: MAX_EJECTION_MS,
    maxEjectionPercent: 34,
    jitter: JITTER,
    successRate: { stdevFactor: 1, minimumHosts: 2, requestVolume: 1 },
    failurePercentage: { threshold: 0.5, minimumHosts: 1, requestVolume: 2 },
  })
  for (const name of NAMES) group.record(name, 'success')
  const region = attachRegion(registry.handle)
  const controls = new ControlDirectory(region, { thread: 0, parent: 0 }).controlsAfter(0)
  const [record, ...hosts] = controls
  if (record === undefined) throw new Error('no group')
  return { registry, group, memory: region.memory, record, hosts }
}

const CLASSES = [
  'EJECTIONS',
  'DUTY',
  'places',
  'all places',
  'ROW',
  'EJECTION',
  'own lines',
  'shards',
] as const

type Stretches = Record<(typeof CLASSES)[number], [number, number][]>

/** Words [from, from + length) by what they are. */
function classesOf({ record: { record, shape }, hosts }: Made): Stretches {
  const of = (word: number, length: number): [number, number][] =>
    hosts.map(host => [host.record + word, length])
  return {
    EJECTIONS: [[record + CONTROL.EJECTIONS, 1]],
    DUTY: [[record + CONTROL.DUTY_LONG * 2, 2]],
    places: [[record + shape.places, 4]],
    'all places': [[record + shape.places, MAX_EJECTED]],
    ROW: of(CONTROL.ROW, 1),
    EJECTION: of(CONTROL.EJECTION_LONG * 2, 2),
    'own lines': [[record, 2 * LINE_WORDS], ...of(0, 2 * LINE_WORDS)],
    shards: hosts.map(host => [
      host.record + host.shape.shards,
      host.shape.lines * LINE_WORDS - host.shape.shards,
    ]),
  }
}

function garbage(random: Random): number {
  const any = random.between(-(2 ** 31), 2 ** 31 - 1)
  return random.pick([any, any, 0, -1, 2 ** 31 - 1, random.between(0, 100), any & 0x3ffff])
}

function use({ registry, group }: Made, random: Random): void {
  for (let call = 0; call < 60; call++) {
    const name = random.pick([...NAMES, 'new'])
    group.record(name, random.chance(0.5) ? 'success' : 'failure')
    expect(typeof group.isEjected(name)).toBe('boolean')
    expect(NAMES).toContain(group.pick(NAMES))
    if (random.chance(0.3)) registry.advance(random.between(1, 150))
  }
  const { hosts, ejected, maxEjected } = group.snapshot()
  expect(ejected).toBeLessThanOrEqual(maxEjected)
  for (const { ejectedForMs } of hosts) {
    expect(ejectedForMs).toBeLessThanOrEqual(MAX_EJECTION_MS * (1 + JITTER) + 1)
  }
}

describe('garbage in', () => {
  it.each(CLASSES)(
    '%s: no call throws or hangs, the cap holds, no ejection lasts too long',
    name => {
      const base = baseSeed(`hosts, garbage in ${name}`)
      for (let seed = base; seed < base + SEEDS; seed++) {
        const random = new Random(seed)
        const made = make()
        use(made, random)
        for (const [from, length] of classesOf(made)[name]) {
          for (let word = from; word < from + length; word++) {
            if (random.chance(0.7)) made.memory[word] = garbage(random)
          }
        }
        use(made, random)
        const fresh = attachRegistry(made.registry.handle)
        use({ ...made, group: fresh.hosts('g') }, random)
        fresh.close()
      }
    },
  )
})

it('an ejection that ends later than any can is none, and is counted as damage', () => {
  const { group, memory, record, hosts } = make()
  const [a] = hosts
  if (a === undefined) throw new Error('no host')
  memory.longs[a.record / 2 + CONTROL.EJECTION_LONG] = packEjection(9, 1, 1e9)
  memory[record.record + record.shape.places] = packPlace(a.number, 9)
  memory[record.record + CONTROL.EJECTIONS] = -1
  expect(group.isEjected('a')).toBe(false)
  expect(memory[HEADER.DAMAGED]).toBe(1)
  for (let failure = 0; failure < 2; failure++) group.record('a', 'failure')
  expect(group.isEjected('a')).toBe(true)
})

it('a damaged directory leaves the hosts that are known', () => {
  const { registry, group, memory } = make()
  const { controls } = attachRegion(registry.handle).shape
  memory.longs[controls.directoryLong + NAMES.length + 1] = -1n
  group.record('new', 'failure')
  group.record('a', 'failure')
  expect(group.snapshot()).toMatchObject({ untracked: 1 })
  expect(group.hosts()).toEqual(NAMES)
})

it('an ejection whose maker died before it told is seen by all an interval later', () => {
  const { registry, group, memory, record, hosts } = make()
  const [a] = hosts
  if (a === undefined) throw new Error('no host')
  expect(group.isEjected('a')).toBe(false)
  // Decided and claimed; that was its last step.
  memory.longs[a.record / 2 + CONTROL.EJECTION_LONG] = packEjection(1, 1, MAX_EJECTION_MS)
  memory[record.record + record.shape.places] = packPlace(a.number, 1)
  expect(group.isEjected('a')).toBe(false)
  registry.advance(INTERVAL_MS)
  const other = attachRegistry(registry.handle)
  onTestFinished(() => other.close())
  other.hosts('g').record('b', 'success')
  expect(group.isEjected('a')).toBe(true)
})

it('a decision whose maker died before it had a place is none, and the next one counts as one', () => {
  const { registry, group, memory, hosts } = make()
  const [a] = hosts
  if (a === undefined) throw new Error('no host')
  memory.longs[a.record / 2 + CONTROL.EJECTION_LONG] = packEjection(1, 1, MAX_EJECTION_MS)
  expect(group.snapshot().hosts[0]).toMatchObject({ ejected: false, ejectionsInRow: 0 })
  for (let failure = 0; failure < 2; failure++) group.record('a', 'failure')
  expect(group.snapshot().hosts[0]).toMatchObject({ ejected: true, ejectionsInRow: 1 })
  registry.advance(2 * MAX_EJECTION_MS)
  // An interval finds it as well: what it decided over was never in force.
  memory.longs[a.record / 2 + CONTROL.EJECTION_LONG] = packEjection(3, 1, 3 * MAX_EJECTION_MS)
  group.record('a', 'failure')
  group.record('a', 'success')
  registry.advance(INTERVAL_MS)
  group.record('b', 'success')
  expect(group.isEjected('a')).toBe(true)
})
