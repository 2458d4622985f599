/** The addon itself: what it sees of a SharedArrayBuffer, in every Node.js, and what it refuses. */
import { execFileSync } from 'node:child_process'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry, RegionError, type Registry } from '../../src/index.ts'
import { DEFINITION, DEFINITION_WORDS, HEADER, OPTION } from '../../src/memory/layout.ts'
import { attachRegion, recordShapeOf } from '../../src/memory/region.ts'
import { editionOfEntry, packEntry } from '../../src/memory/words/threads.ts'
import { Directory } from '../../src/protocol/directory.ts'
import { verify } from '../../src/verify/verify.ts'
import { describeNodes, findNodes } from '../../test/package/nodes.ts'
import { missing, NativeRegion } from './addon.ts'
import { buildAddon } from './build.ts'
import { needAddon } from './support.ts'

/** Among them the high words of doubles: 1, the greatest, infinity, NaN, negative ones. */
const EXTREMES = [
  0,
  1,
  2,
  -1,
  2 ** 31 - 1,
  -(2 ** 31),
  0x3ff00000,
  0x7fefffff,
  0x7ff00000,
  0x7ff80000,
  -0x100000,
  -0x40100000,
  0x41dfffff,
  0x408f4000,
  0x40240000,
]

const NOBODY = { thread: 0, parent: 0 }

function twoBreakers(): Registry {
  const registry = createRegistry({ clock: 'manual', maxBreakers: 2, maxThreads: 1 })
  for (const name of ['a', 'b']) registry.breaker(name)
  registry.close()
  return registry
}

function throws(attach: () => unknown): boolean {
  try {
    attach()
    return false
  } catch {
    return true
  }
}

it('there is a compiler where CI runs on Linux', () => {
  if (process.env.CI && process.platform === 'linux') expect(missing).toBeUndefined()
})

describe('the addon', () => {
  beforeEach(needAddon)

  it('sees the words of a view of shared memory, in every Node.js here', () => {
    const nodes = findNodes()
    console.log(describeNodes(nodes).replace('package', 'addon'))
    const built = buildAddon()
    if (!('path' in built)) throw new Error(built.why)
    const program = `
      const view = new Int32Array(new SharedArrayBuffer(4096), 128, 64)
      view[3] = 41
      const seen = require(${JSON.stringify(built.path)}).word(view, 3)
      console.log(seen, new Int32Array(view.buffer)[128 / 4 + 3])`
    for (const { path } of nodes.found) {
      expect(execFileSync(path, ['-e', program], { encoding: 'utf8' })).toBe('42 42\n')
    }
  })

  it('attaches to what a registry made and to nothing else', () => {
    const { buffer } = createRegistry().handle
    const half = new SharedArrayBuffer(buffer.byteLength / 2)
    new Uint8Array(half).set(new Uint8Array(buffer).subarray(0, half.byteLength))
    expect(new NativeRegion(buffer).join().slot).toBe(2)
    expect(() => new NativeRegion(new SharedArrayBuffer(64))).toThrow('too small')
    expect(() => new NativeRegion(new SharedArrayBuffer(4096))).toThrow('not a busbar region')
    expect(() => new NativeRegion(half)).toThrow('longer than the memory')
  })

  it('refuses the damaged headers that JavaScript refuses', () => {
    const { buffer } = createRegistry({ clock: 'manual', maxBreakers: 1, maxThreads: 1 }).handle
    const different: string[] = []
    for (const word of [0, 1, 5, 8, 9, 10, 11, 12, 13]) {
      for (const value of EXTREMES) {
        const copy = new SharedArrayBuffer(buffer.byteLength)
        new Uint8Array(copy).set(new Uint8Array(buffer))
        new Int32Array(copy)[word] = value
        const [js, c] = [
          throws(() => attachRegion({ buffer: copy })),
          throws(() => new NativeRegion(copy)),
        ]
        if (js !== c) different.push(`word ${word} is ${value}: JavaScript ${js}, C ${c}`)
      }
    }
    expect(different).toEqual([])
  })

  it.each(['MAX_CONTROLS', 'CONTROL_LINES'] as const)('refuses %s that are none', name => {
    const { buffer } = twoBreakers().handle
    for (const value of [0, -1, 2 ** 31 - 1, -(2 ** 31), 70_000]) {
      const copy = new SharedArrayBuffer(buffer.byteLength)
      new Uint8Array(copy).set(new Uint8Array(buffer))
      new Int32Array(copy)[HEADER[name]] = value
      expect(() => new NativeRegion(copy), `${value}`).toThrow('it is longer than the memory')
    }
  })

  it.each([-1, 0.5, 1, 2, Number.NaN])('refuses HANGING of %d, where no call can hang', value => {
    const { handle } = twoBreakers()
    const { memory, shape } = attachRegion(handle)
    const double = shape.breakers.definitions / 2 + DEFINITION.OPTIONS_DOUBLE + OPTION.HANGING
    memory.doubles[double] = value
    const member = new NativeRegion(handle.buffer).join()
    expect(() => member.find('a')).toThrow("an entry of the region's directory is damaged")
  })

  it('refuses a breaker that counts hanging calls, and finds what was made after it', () => {
    const registry = createRegistry({ maxThreads: 3 })
    registry.breaker('aged', { slowCallDurationThresholdMs: 50, countHangingCalls: true })
    registry.breaker('after').forceOpen()
    const member = new NativeRegion(registry.handle.buffer).join()
    expect(() => member.find('aged')).toThrow('counts hanging calls, which this client cannot')
    expect(member.find('after').state).toBe('forced-open')
    member.leave()
    registry.close()
    expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
  })

  it('refuses a record that would overrun the arena, as JavaScript does', () => {
    const { handle } = twoBreakers()
    const region = attachRegion(handle)
    const entry = new Directory(region, NOBODY).find('b')
    if (entry === undefined) throw new Error('no breaker')
    const { memory, shape } = region
    const options = shape.breakers.definitions + entry.definition * DEFINITION_WORDS
    const buckets = options / 2 + DEFINITION.OPTIONS_DOUBLE + OPTION.BUCKETS
    memory.doubles[buckets] = 1024
    const numbers = entry.numbers.map((value, at) => (at === OPTION.BUCKETS ? 1024 : value))
    const { lines } = recordShapeOf(numbers, shape.maxThreads)
    memory.longs[shape.breakers.directoryLong + 1] = packEntry(
      editionOfEntry(entry.word),
      entry.definition,
      lines,
    )
    expect(() => new Directory(region, NOBODY).find('b')).toThrow(RegionError)
    const member = new NativeRegion(handle.buffer).join()
    expect(member.find('a').state).toBe('closed')
    expect(() => member.find('b')).toThrow("an entry of the region's directory is damaged")
  })

  it('finds breakers by the bytes of their names', () => {
    const registry = createRegistry()
    const names = ['plain', 'ä', 'ä'.repeat(127), '一二三', 'a', 'aa']
    const member = new NativeRegion(registry.handle.buffer).join()
    for (const name of names) {
      expect(() => member.find(name)).toThrow('no circuit breaker of that name')
      registry.breaker(name).forceOpen()
      expect(member.find(name).state).toBe('forced-open')
    }
    registry.breaker('a').reset()
    expect(names.map(name => member.find(name).state)).toEqual(
      names.map(name => (name === 'a' ? 'closed' : 'forced-open')),
    )
    expect(() => member.find('')).toThrow('1 to 255 bytes')
    expect(() => member.find('ä'.repeat(128))).toThrow('1 to 255 bytes')
  })

  it('reads the clock that JavaScript reads', () => {
    const registry = createRegistry()
    const member = new NativeRegion(registry.handle.buffer).join()
    for (let look = 0; look < 100; look += 1) {
      const before = registry.now()
      const now = member.now()
      expect(now).toBeGreaterThanOrEqual(before)
      expect(now).toBeLessThanOrEqual(registry.now())
    }
  })
})
