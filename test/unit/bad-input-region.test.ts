/** P7: what is not a whole, current-version region is refused at once, by name (spec section 3). */
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import {
  attachRegistry,
  createRegistry,
  NoRegistryError,
  RegionError,
  type RegistryHandle,
} from '../../src/index.ts'
import { HEADER, HEADER_WORDS, LAYOUT_VERSION, OPTION } from '../../src/memory/layout.ts'
import { regionShapeOf } from '../../src/memory/region-shape.ts'
import { thrownBy } from './execute-support.ts'

const GEOMETRY = { clock: 'manual', kernel: 'js', maxBreakers: 2, maxThreads: 2 } as const

/** The bytes of a region that had a breaker, in another buffer, of another length if told. */
function copyOf(bytes?: number): SharedArrayBuffer {
  const registry = createRegistry(GEOMETRY)
  registry.breaker('first').open()
  registry.close()
  const from = new Uint8Array(registry.handle.buffer)
  const buffer = new SharedArrayBuffer(bytes ?? from.length)
  new Uint8Array(buffer).set(from.subarray(0, buffer.byteLength))
  return buffer
}

function expectRefused(handle: unknown, message: RegExp): void {
  const error = thrownBy(() => attachRegistry(handle as RegistryHandle))
  expect(error).toBeInstanceOf(RegionError)
  expect(error).toMatchObject({ code: 'ERR_REGION' })
  expect(error).toHaveProperty('message', expect.stringMatching(message))
}

describe('handles that are none', () => {
  const NONE: [string, unknown, RegExp][] = [
    ['undefined', undefined, /not a registry handle: undefined; pass `registry.handle`/],
    ['null', null, /not a registry handle: null/],
    ['a number', 5, /not a registry handle: 5/],
    ['a string', 'handle', /not a registry handle: "handle"/],
    ['a function', () => {}, /not a registry handle: a function/],
    ['an empty object', {}, /not a registry handle: an object/],
    ['the buffer alone', createRegistry(GEOMETRY).handle.buffer, /not a registry handle/],
    ['the registry itself', createRegistry(GEOMETRY), /not a registry handle/],
    ['no buffer', { busbar: 1, buffer: undefined }, /buffer is undefined, not a SharedArrayBuffer/],
    ['a null buffer', { busbar: 1, buffer: null }, /buffer is null, not a SharedArrayBuffer/],
    ['an ArrayBuffer', { buffer: new ArrayBuffer(65_536) }, /an object, not a SharedArrayBuffer/],
    ['bytes', { buffer: new Uint8Array(65_536) }, /not a SharedArrayBuffer/],
    ['an impostor', { buffer: { byteLength: 65_536 } }, /not a SharedArrayBuffer/],
    ['what JSON makes of one', JSON.parse(JSON.stringify(createRegistry(GEOMETRY).handle)), /not/],
  ]
  it.each(NONE)('%s', (_, handle, message) => expectRefused(handle, message))

  it('the bytes of a region in an ArrayBuffer', () => {
    const buffer = new Uint8Array(copyOf()).slice().buffer
    expectRefused({ busbar: LAYOUT_VERSION, buffer }, /not a SharedArrayBuffer.*one process/)
  })
})

describe('buffers of another size', () => {
  it.each([0, 1, 7, 8, 128, HEADER_WORDS * 4 - 8])('%d bytes: too small', bytes => {
    expectRefused({ buffer: new SharedArrayBuffer(bytes) }, new RegExp(`${bytes} bytes.*too small`))
  })

  it('zeros of any size are no region', () => {
    for (const bytes of [HEADER_WORDS * 4, 65_536]) {
      expectRefused({ buffer: new SharedArrayBuffer(bytes) }, /not a busbar region/)
    }
  })

  const whole = createRegistry(GEOMETRY).handle.buffer.byteLength
  it.each([
    ['truncated to its header', HEADER_WORDS * 4],
    ['truncated by eight bytes', whole - 8],
    ['with eight bytes more', whole + 8],
    ['doubled', whole * 2],
  ])('a region %s', (_, bytes) => {
    const message = new RegExp(`2 breakers, 2 threads.*does not fit its ${bytes} bytes`)
    expectRefused({ buffer: copyOf(bytes) }, message)
  })

  it.each([
    ['truncated by one byte', whole - 1],
    ['truncated by four', whole - 4],
    ['with three bytes more', whole + 3],
  ])('a region %s: odd, but not called too small', (_, bytes) => {
    expectRefused({ buffer: copyOf(bytes) }, new RegExp(`${bytes} bytes`))
    const error = thrownBy(() => attachRegistry({ busbar: 1, buffer: copyOf(bytes) }))
    expect(String(error)).not.toContain('too small')
  })
})

describe('damaged headers', () => {
  const damaged = (word: number, value: number): unknown => {
    const buffer = copyOf()
    new Int32Array(buffer)[word] = value
    return { busbar: LAYOUT_VERSION, buffer }
  }
  const damagedDouble = (double: number, value: number): unknown => {
    const buffer = copyOf()
    new Float64Array(buffer)[double] = value
    return { busbar: LAYOUT_VERSION, buffer }
  }

  it('half-made: the magic is not there yet', () => {
    expectRefused(damaged(HEADER.MAGIC, 0), /its making was not finished/)
  })

  it('another magic', () => {
    expectRefused(damaged(HEADER.MAGIC, 0x42555343), /not a busbar region/)
  })

  it.each([0, LAYOUT_VERSION + 1, -1, 2 ** 31 - 1])('version %d', version => {
    const message = new RegExp(`layout version ${version}, this copy of busbar reads 1; use one`)
    expectRefused(damaged(HEADER.VERSION, version), message)
  })

  const COUNTS = [0, -1, 1, 3, 1024, 2 ** 31 - 1, -(2 ** 31)]
  it.each(['MAX_BREAKERS', 'MAX_THREADS', 'ARENA_LINES', 'MAX_CONTROLS', 'CONTROL_LINES'] as const)(
    '%s',
    name => {
      for (const value of COUNTS) expectRefused(damaged(HEADER[name], value), /does not fit its/)
    },
  )

  const shape = regionShapeOf({
    maxBreakers: 2,
    maxThreads: 2,
    arenaLines: 1,
    maxControls: 1,
    controlLines: 1,
  })
  const DEFAULTS: [keyof typeof OPTION, number[]][] = [
    ['WINDOW', [3, -1, 0.5, Number.NaN]],
    ['WINDOW_LENGTH', [0, -1, Number.NaN, Number.POSITIVE_INFINITY]],
    ['BUCKETS', [0, 1.5, 1e9, Number.NaN]],
    ['FAILURE_RATE', [0, 2, Number.NaN]],
    ['MINIMUM_CALLS', [0, 1.5, Number.NaN]],
    ['SLOW_DURATION_MS', [-1, Number.NaN]],
    ['SLOW_RATE', [0, 2, Number.NaN]],
    ['WAIT_INITIAL_MS', [-1, Number.NaN, Number.POSITIVE_INFINITY]],
    ['WAIT_MULTIPLIER', [0, Number.NaN]],
    ['WAIT_MAX_MS', [-1, Number.NaN, Number.POSITIVE_INFINITY]],
    ['WAIT_JITTER', [-1, 2, Number.NaN]],
    ['TRIALS', [0, 65, 1.5, Number.NaN]],
    ['TRIAL_FAILURE_RATE', [-1, 2, Number.NaN]],
    ['TRIAL_TIMEOUT_MS', [0, Number.NaN, Number.POSITIVE_INFINITY]],
    // 1: not without a slow threshold, of which the defaults have none.
    ['HANGING', [1, 2, -1, 0.5, Number.NaN]],
  ]
  it.each(DEFAULTS)('default %s', (name, values) => {
    for (const value of values) {
      const handle = damagedDouble(shape.defaultsDouble + OPTION[name], value)
      expectRefused(handle, /default options are damaged/)
    }
  })

  it.each([2, -1, 2 ** 31 - 1])('clock %d', value => {
    expectRefused(damaged(HEADER.CLOCK, value), /clock/)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('origin %d', value => {
    const buffer = copyOf()
    new Int32Array(buffer)[HEADER.CLOCK] = 0
    new Float64Array(buffer)[HEADER.ORIGIN_DOUBLE] = value
    expectRefused({ busbar: LAYOUT_VERSION, buffer }, /origin|clock|time/)
  })

  it.each([-1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])('default timeout %d', value => {
    expectRefused(damagedDouble(HEADER.DEFAULT_TIMEOUT_DOUBLE, value), /timeout|default/)
  })

  it('a directory that is damaged: found at the first look, nothing spins', () => {
    const buffer = copyOf()
    new BigInt64Array(buffer)[shape.breakers.directoryLong] = 0x7fffffffffffffffn
    const registry = attachRegistry({ busbar: LAYOUT_VERSION, buffer })
    for (const look of [
      () => registry.names(),
      () => registry.get('first'),
      () => registry.breaker('second'),
      () => registry.snapshot(),
    ]) {
      const error = thrownBy(look)
      expect(error).toBeInstanceOf(RegionError)
      expect(error).toHaveProperty('message', expect.stringContaining('directory is damaged'))
    }
  })
})

describe('handles that are good', () => {
  const original = createRegistry(GEOMETRY)
  const { handle } = original
  original.breaker('shared').forceOpen()

  it('cloned', () => {
    const registry = attachRegistry(structuredClone(handle))
    expect(registry.get('shared')?.state).toBe('forced-open')
    registry.close()
  })

  it('sent through a port', () => {
    const { port1, port2 } = new MessageChannel()
    port1.postMessage(handle)
    const registry = attachRegistry(receiveMessageOnPort(port2)?.message as RegistryHandle)
    expect(registry.get('shared')?.state).toBe('forced-open')
    registry.close()
    port1.close()
  })

  it('its own, again: one slot for the thread', () => {
    const registry = attachRegistry(handle)
    expect(registry.snapshot()).toMatchObject({ threads: 1, maxThreads: 2, maxBreakers: 2 })
    expect(attachRegistry(registry.handle).handle).toEqual(handle)
    registry.close()
    expect(original.snapshot().threads).toBe(1)
  })

  it('is frozen', () => {
    expect(Object.isFrozen(handle)).toBe(true)
  })
})

describe('after close', () => {
  it.each([
    ['breaker', (r: ReturnType<typeof createRegistry>) => r.breaker('kept')],
    ['breaker, a new one', (r: ReturnType<typeof createRegistry>) => r.breaker('new')],
    ['get', (r: ReturnType<typeof createRegistry>) => r.get('kept')],
    ['names', (r: ReturnType<typeof createRegistry>) => r.names()],
    ['snapshot', (r: ReturnType<typeof createRegistry>) => r.snapshot()],
  ])('%s throws NoRegistryError, which names the remedy', (_, use) => {
    const registry = createRegistry(GEOMETRY)
    registry.breaker('kept')
    registry.close()
    registry.close()
    const error = thrownBy(() => use(registry))
    expect(error).toBeInstanceOf(NoRegistryError)
    expect(error).toMatchObject({ code: 'ERR_NO_REGISTRY' })
    expect(error).toHaveProperty('message', expect.stringContaining('attachRegistry(handle)'))
  })

  it('by Symbol.dispose too; its handle can be attached to again', () => {
    const registry = createRegistry(GEOMETRY)
    registry.breaker('kept').forceOpen()
    registry[Symbol.dispose]()
    expect(() => registry.names()).toThrow(NoRegistryError)
    const again = attachRegistry(registry.handle)
    expect(again.get('kept')?.state).toBe('forced-open')
    expect(again.snapshot().threads).toBe(1)
  })

  it('breakers go on working', async () => {
    const registry = createRegistry(GEOMETRY)
    const breaker = registry.breaker('kept')
    registry.close()
    expect(await breaker.execute(() => 'value')).toBe('value')
    expect(breaker.snapshot().totals).toMatchObject({ succeeded: 1, inFlight: 0 })
  })
})
