/**
 * Regions with damaged bytes, attached to: refused with RegionError, or sound enough to be used. No
 * hang, no other error, and no word outside of the breakers' records is written by their calls.
 */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  attachRegistry,
  type BusbarError,
  createRegistry,
  RegionError,
  type Registry,
  RegistryFullError,
  type RegistryHandle,
} from '../../src/index.ts'
import { DEFINITION, DEFINITION_WORDS, HEADER, OPTION } from '../../src/memory/layout.ts'
import { attachRegion, type Region } from '../../src/memory/region.ts'
import { Directory } from '../../src/protocol/directory.ts'
import { baseSeed, historyCount, Random } from '../model/random.ts'
import { callOnce, describeError, Faults, within } from './calls.ts'
import { BREAKERS, classesOf, type Hostile, makeHostile, type WordClass } from './words.ts'

const HANDLES = historyCount(3000)
const CALLS = 40

beforeEach(() => {
  vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

/** Doubles that options and times are not, beside any bits at all. */
const DOUBLES = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 0.5, 1e-300, 1e300, 5e-324, 2 ** 53]

/** Damages one word or double of a class; what was done. */
function damage(random: Random, buffer: SharedArrayBuffer, { name, from, length }: WordClass) {
  const at = from + random.between(0, length - 1)
  if (random.chance(name === 'option' || name === 'defaults' ? 0.8 : 0.3)) {
    const value = random.pick(DOUBLES)
    new Float64Array(buffer)[at >> 1] = value
    return `${name}, double ${at >> 1} = ${value}`
  }
  const value = random.chance(0.5)
    ? (new Int32Array(buffer)[at] ?? 0) ^ (1 << random.between(0, 31))
    : random.pick([0, -1, 1, 2, 3, 64, 65, 255, 2 ** 31 - 1, -(2 ** 31)])
  new Int32Array(buffer)[at] = value
  return `${name}, word ${at} = ${value}`
}

/** A copy of the region with a name of its own, so that this thread takes it for another one. */
function copyOf(bytes: Uint8Array, seed: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.length)
  new Uint8Array(buffer).set(bytes)
  new Int32Array(buffer)[HEADER.SEED] = seed
  return buffer
}

function makeOriginal(clock: 'manual' | 'monotonic'): { hostile: Hostile; bytes: Uint8Array } {
  const hostile = makeHostile(clock)
  const random = new Random(1)
  const breakers = Object.keys(BREAKERS).map(name => hostile.registry.breaker(name))
  const { registry } = hostile
  const caller = { random, registry, breakers, permits: [], onThrow: () => {} }
  if (clock === 'manual') registry.advance(1234)
  for (let call = 0; call < 500; call++) callOnce(caller)
  for (const name of Object.keys(BREAKERS)) registry.breaker(name).reset()
  registry.close()
  const { byteLength } = attachRegion(registry.handle).memory
  return { hostile, bytes: new Uint8Array(registry.handle.buffer, 0, byteLength).slice() }
}

/**
 * The first word that calls of breakers may not change and have, or -1. Between the journal and the
 * controls they may: a breaker that is gone is made again.
 */
function firstChanged(
  before: Int32Array,
  buffer: SharedArrayBuffer,
  { journalLong, controls }: Region['shape'],
): number {
  const after = new Int32Array(buffer)
  const { SLOTS_USED, DAMAGED, OVERFLOW_USED, ACTIVE, TICK, JOURNAL_HEAD } = HEADER
  const mayChange = [SLOTS_USED, DAMAGED, OVERFLOW_USED, ACTIVE, TICK, JOURNAL_HEAD]
  const clock = HEADER.MANUAL_CLOCK_LONG * 2
  const isOther = (at: number): boolean => after[at] !== before[at]
  for (let at = 0; at < journalLong * 2; at++) {
    if (mayChange.includes(at) || at === clock || at === clock + 1) continue
    if (isOther(at)) return at
  }
  for (let at = controls.makingLong * 2; at < controls.arena; at++) if (isOther(at)) return at
  return -1
}

/** Uses every breaker of the registry; throws only what is not a RegionError. */
function useAll(registry: Registry, random: Random, onThrow: (what: string) => void): void {
  const breakers = registry.names().flatMap(name => registry.get(name) ?? [])
  if (breakers.length === 0) return
  const caller = {
    random,
    registry,
    breakers,
    permits: [],
    onThrow: (call: string, error: unknown) => onThrow(`${call} throws ${describeError(error)}`),
  }
  for (let call = 0; call < CALLS; call++) callOnce(caller)
}

function isOurs(error: unknown): error is BusbarError {
  return error instanceof RegionError || error instanceof RegistryFullError
}

/** Attaches and uses what it gets. True when the handle was refused. */
function attachAndUse(
  buffer: SharedArrayBuffer,
  shape: Region['shape'],
  random: Random,
  onFault: (kind: string) => void,
): boolean {
  let registry: Registry | undefined
  let before = new Int32Array()
  try {
    registry = attachRegistry({ busbar: 1, buffer } as RegistryHandle)
    before = new Int32Array(buffer).slice()
    useAll(registry, random, onFault)
  } catch (error) {
    if (!isOurs(error)) onFault(`throws ${describeError(error)}`)
    return true
  } finally {
    const at = registry === undefined ? -1 : firstChanged(before, buffer, shape)
    if (at >= 0) onFault(`calls write word ${at}, outside of every record`)
    try {
      registry?.close()
    } catch (error) {
      if (!isOurs(error)) onFault(`close throws ${describeError(error)}`)
    }
  }
  return false
}

it.each(['manual', 'monotonic'] as const)(
  `${HANDLES} damaged regions of a %s clock: refused or usable`,
  clock => {
    const base = baseSeed(`hostile, handles, ${clock}`)
    const { hostile, bytes } = makeOriginal(clock)
    const { shape } = attachRegion({ busbar: 1, buffer: copyOf(bytes, 0) } as RegistryHandle)
    const inRecords = hostile.cells.flatMap(cell => classesOf(cell))
    const before = hostile.classes.filter(({ name }) => !inRecords.some(at => at.name === name))
    const faults = new Faults()
    let refused = 0
    for (let seed = base; seed < base + HANDLES; seed++) {
      const random = new Random(seed)
      const buffer = copyOf(bytes, seed)
      const story = Array.from({ length: random.between(1, 2) }, () =>
        damage(random, buffer, random.pick(random.chance(0.8) ? before : inRecords)),
      ).join('; ')
      const where = `seed ${seed}: ${story}`
      const onFault = (kind: string): void => faults.add(kind, where)
      const wasRefused = within(
        5000,
        () => where,
        () => attachAndUse(buffer, shape, random, onFault),
      )
      if (wasRefused) refused++
    }
    expect(refused).toBeGreaterThan(HANDLES / 20)
    expect(refused).toBeLessThan(HANDLES)
    expect(faults.list()).toEqual([])
  },
  HANDLES * 100,
)

it.each([
  ['a duration of less than 1 ms a bucket', OPTION.WINDOW_LENGTH, 5e-324],
  ['a duration that no bucket number fits', OPTION.WINDOW_LENGTH, 1e-300],
])(
  'a definition with %s is refused: nothing else bounds where its outcomes go',
  (_, option, to) => {
    const { bytes } = makeOriginal('manual')
    const buffer = copyOf(bytes, 12345)
    const region = attachRegion({ busbar: 1, buffer } as RegistryHandle)
    const entries = new Directory(region, { thread: 0, parent: 0 }).present()
    const definition = entries.find(({ name }) => name === 'time')?.definition ?? Number.NaN
    const start = region.shape.breakers.definitions + definition * DEFINITION_WORDS
    new Float64Array(buffer)[start / 2 + DEFINITION.OPTIONS_DOUBLE + option] = to
    const registry = attachRegistry({ busbar: 1, buffer } as RegistryHandle)
    expect(() => registry.get('time')).toThrow(RegionError)
  },
)

it('bytes of no region at all, of every length up to two lines and more', () => {
  const base = baseSeed('hostile, noise')
  const random = new Random(base)
  const whole = createRegistry({ maxBreakers: 1, maxThreads: 1 }).handle.buffer
  for (let turn = 0; turn < 500; turn++) {
    const length = random.pick([random.between(0, 260), 4096, whole.byteLength])
    const buffer = new SharedArrayBuffer(length)
    const noise = new Uint8Array(buffer)
    for (let at = 0; at < noise.length; at++) noise[at] = random.between(0, 255)
    if (length >= 8 && length % 4 === 0) {
      new Int32Array(buffer).set([0x42555342, random.between(0, 2)])
    }
    const attach = (): unknown => attachRegistry({ busbar: 1, buffer } as RegistryHandle)
    expect(attach, `seed ${base}, turn ${turn}, ${length} bytes`).toThrow(RegionError)
  }
})
