import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachRegistry, createRegistry } from '../../../src/index.ts'
import type { HostGroup, HostSnapshot } from '../../../src/overload/hosts.ts'
import { Reference } from './reference.ts'

const RUNS = Number(process.env.BUSBAR_HISTORIES ?? 300)
const FACES = 3
const INTERVAL_MS = 100
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const

const face = fc.integer({ min: 0, max: FACES - 1 })
const host = fc.constantFrom(...NAMES)
const calls = fc.record({
  type: fc.constant('calls' as const),
  face,
  host,
  successes: fc.integer({ min: 0, max: 4 }),
  failures: fc.integer({ min: 0, max: 6 }),
})
const time = fc.record({
  type: fc.constant('time' as const),
  ms: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 30, max: 100 }) },
    fc.integer({ min: 100, max: 1500 }),
  ),
})
const history = fc.array(fc.oneof({ weight: 7, arbitrary: calls }, time), {
  minLength: 1,
  maxLength: 80,
  size: 'max',
})
const options = fc.record({
  consecutiveFailures: fc.constantFrom(0, 0, 2, 5),
  intervalMs: fc.constant(INTERVAL_MS),
  baseEjectionMs: fc.constantFrom(30, 100, 150),
  maxEjectionMs: fc.constantFrom(150, 400),
  jitter: fc.constant(0),
  maxEjectionPercent: fc.constantFrom(0, 25, 50, 100),
  successRate: fc.record({
    stdevFactor: fc.constantFrom(0, 0.7, 0.7, 1.9),
    minimumHosts: fc.constantFrom(1, 3),
    requestVolume: fc.constantFrom(1, 4),
  }),
  failurePercentage: fc.record({
    threshold: fc.constantFrom(0, 0.6, 1),
    minimumHosts: fc.constantFrom(1, 2),
    requestVolume: fc.constantFrom(1, 5),
  }),
})

/** What some hundred histories cannot miss. */
const COVERED = [
  'row',
  'row refused',
  'rate',
  'rate refused',
  'part',
  'part refused',
  'grown',
  'shrunk',
  'longest',
  'not compared',
  'both rules',
]

function expectedOf(reference: Reference): HostSnapshot[] {
  const last = Math.floor(reference.now / INTERVAL_MS) - 1
  const counted = reference.countsOf(last)
  return [...reference.hosts].map(([name, one], index) => {
    const { calls: all = 0n, failures = 0n } = counted[index] ?? {}
    return {
      host: name,
      ejected: reference.isEjected(name),
      ejectedForMs: Math.max(0, one.until - reference.now),
      ejectionsInRow: reference.ejectionsInRow(one),
      consecutiveFailures: one.row,
      successRate: all > 0n ? Number(all - failures) / Number(all) : null,
      totals: reference.totals(name),
    }
  })
}

function compare(groups: HostGroup[], reference: Reference): void {
  const ejected = reference.ejected()
  for (const group of groups) {
    expect(NAMES.filter(name => group.isEjected(name))).toEqual([...ejected].sort())
    expect(group.snapshot()).toEqual({
      name: 'g',
      hosts: expectedOf(reference),
      maxEjected: reference.maxEjected,
      ejected: ejected.length,
      untracked: 0,
    })
    const free = NAMES.filter(name => !ejected.includes(name))
    expect(free.length > 0 ? free : NAMES).toContain(group.pick(NAMES))
  }
}

test(
  `${RUNS} random histories over ${FACES} faces end as the reference says, step by step`,
  () => {
    const covered = new Set<string>()
    fc.assert(
      fc.property(options, history, (given, steps) => {
        const registry = createRegistry({ clock: 'manual', maxThreads: 2, maxControls: 32 })
        const others = [attachRegistry(registry.handle), attachRegistry(registry.handle)]
        const faces = [registry, ...others]
        try {
          const groups = faces.map(one => one.hosts('g', given))
          const reference = new Reference(given, mark => void covered.add(mark))
          for (const step of steps) {
            if (step.type === 'time') {
              registry.advance(step.ms)
              reference.now += step.ms
            } else {
              const outcomes = [
                ...new Array<boolean>(step.successes).fill(false),
                ...new Array<boolean>(step.failures).fill(true),
              ]
              for (const isFailure of outcomes) {
                groups[step.face]?.record(step.host, isFailure ? 'failure' : 'success')
                reference.record(step.host, isFailure)
              }
            }
            compare(groups, reference)
          }
        } finally {
          for (const one of faces) one.close()
        }
      }),
      { numRuns: RUNS },
    )
    expect(COVERED.filter(mark => !covered.has(mark))).toEqual([])
  },
  RUNS * 200,
)
