/** A region: made once, checked by everyone who attaches (P7). */
import { randomInt } from 'node:crypto'
import { types } from 'node:util'
import {
  load,
  readFixed,
  readFixedDouble,
  store,
  viewsOf,
  writeFixed,
  writeFixedDouble,
} from '#atomics'
import { describe, InvalidOptionError, RegionError } from '../errors.ts'
import { isWithin, TICK_MS, TIMER_DURATION } from '../options/read.ts'
import type { ResolvedRegistry } from '../options/registry.ts'
import { areSound, DEFAULT_NUMBERS, type SharedNumbers } from '../options/shared.ts'
import { type Clock, clockOf } from '../time/clock.ts'
import { monotonicNow } from '../time/monotonic.ts'
import type { Memory } from './atomics.ts'
import {
  CLOCK_MANUAL,
  CLOCK_MONOTONIC,
  HEADER,
  HEADER_WORDS,
  LAYOUT_VERSION,
  MAGIC,
  OPTION,
  OPTION_COUNT,
  type RecordShape,
  type RegionShape,
  regionShapeOf,
  shapeOf,
} from './layout.ts'

/** What travels to other threads: structured-cloneable, for `workerData` or `postMessage`. */
export interface RegistryHandle {
  /** The layout version. */
  readonly busbar: number
  readonly buffer: SharedArrayBuffer
}

/** A thread's view of a region. Its geometry was checked and is not read again. */
export interface Region {
  readonly memory: Memory
  readonly shape: RegionShape
  readonly clock: Clock
  readonly manualClock: boolean
  /** Of the keeper; 0: made without one. */
  readonly tickMs: number
  readonly seed: number
  /** Tells regions apart: two handles of one region say the same. */
  readonly id: string
  readonly defaults: SharedNumbers
  readonly defaultTimeoutMs: number | undefined
  readonly handle: RegistryHandle
}

export function recordShapeOf(numbers: SharedNumbers, maxThreads: number): RecordShape {
  const at = (option: number): number => numbers[option] as number
  return shapeOf(
    {
      window: at(OPTION.WINDOW),
      length: at(OPTION.WINDOW_LENGTH),
      buckets: at(OPTION.BUCKETS),
      trials: at(OPTION.TRIALS),
    },
    maxThreads,
  )
}

/** Makes a region: room for `maxBreakers` records of its defaults or the usual, the larger ones. */
export function createRegion(options: ResolvedRegistry): Region {
  const { maxBreakers, maxThreads, defaults } = options
  const lines = Math.max(
    recordShapeOf(defaults, maxThreads).lines,
    recordShapeOf(DEFAULT_NUMBERS, maxThreads).lines,
  )
  const shape = regionShapeOf({ maxBreakers, maxThreads, arenaLines: maxBreakers * lines })
  const buffer = allocate(shape.words * 4, maxBreakers)
  const memory = viewsOf(buffer)
  writeFixed(memory, HEADER.VERSION, LAYOUT_VERSION)
  writeFixed(memory, HEADER.MAX_BREAKERS, maxBreakers)
  writeFixed(memory, HEADER.MAX_THREADS, maxThreads)
  writeFixed(memory, HEADER.ARENA_LINES, shape.arenaLines)
  writeFixed(memory, HEADER.CLOCK, options.manualClock ? CLOCK_MANUAL : CLOCK_MONOTONIC)
  writeFixed(memory, HEADER.SEED, randomInt(2 ** 32))
  writeFixed(memory, HEADER.SEED + 1, randomInt(2 ** 32))
  writeFixedDouble(memory, HEADER.ORIGIN_DOUBLE, monotonicNow())
  writeFixedDouble(memory, HEADER.TICK_MS_DOUBLE, options.tickMs)
  writeFixedDouble(memory, HEADER.DEFAULT_TIMEOUT_DOUBLE, options.local.timeoutMs ?? 0)
  writeNumbers(memory, shape.defaultsDouble, defaults)
  // ATOMIC region.publish
  //   publishes: everything above.
  //   dies here: before the store nobody has the buffer; a copy of its bytes is refused.
  store(memory, HEADER.MAGIC, MAGIC)
  return view(buffer, memory, shape)
}

function allocate(bytes: number, maxBreakers: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes)
  } catch {
    throw new InvalidOptionError(
      'options.maxBreakers',
      maxBreakers,
      `small enough for one shared buffer (${bytes} bytes were asked for and not granted; ` +
        'fewer breakers, threads or buckets need less)',
    )
  }
}

/** Checks a handle from another thread. Throws RegionError saying what is wrong with it. */
export function attachRegion(handle: unknown): Region {
  if (typeof handle !== 'object' || handle === null || !('buffer' in handle)) {
    throw new RegionError(
      `not a registry handle: ${describe(handle)}; pass \`registry.handle\` on, ` +
        'by workerData or postMessage',
    )
  }
  const { buffer } = handle
  if (!types.isSharedArrayBuffer(buffer)) {
    throw new RegionError(
      `the handle's buffer is ${describe(buffer)}, not a SharedArrayBuffer; ` +
        'a registry can be shared by threads of one process only',
    )
  }
  const { byteLength } = buffer
  if (!(byteLength >= HEADER_WORDS * 4)) {
    throw new RegionError(`a buffer of ${byteLength} bytes is too small to be a region`)
  }
  if (byteLength % 8 !== 0) {
    throw new RegionError(`a buffer of ${byteLength} bytes is no region: those are whole lines`)
  }
  const memory = viewsOf(buffer)
  // ATOMIC region.attach
  //   observes: region.publish: with the magic there, all that was written before it is there.
  if (load(memory, HEADER.MAGIC) !== MAGIC) {
    throw new RegionError('the buffer is not a busbar region, or its making was not finished')
  }
  const version = readFixed(memory, HEADER.VERSION)
  if (version !== LAYOUT_VERSION) {
    throw new RegionError(
      `the region has layout version ${version}, this copy of busbar reads ${LAYOUT_VERSION}; ` +
        'use one version of the package in all threads',
    )
  }
  return view(buffer, memory, checkShape(buffer, memory))
}

function checkShape(buffer: SharedArrayBuffer, memory: Memory): RegionShape {
  const maxBreakers = readFixed(memory, HEADER.MAX_BREAKERS)
  const maxThreads = readFixed(memory, HEADER.MAX_THREADS)
  const arenaLines = readFixed(memory, HEADER.ARENA_LINES)
  const sane = maxBreakers >= 1 && maxThreads >= 1 && maxThreads <= 1023 && arenaLines >= 1
  const shape = regionShapeOf({ maxBreakers, maxThreads, arenaLines })
  if (sane && shape.words * 4 === buffer.byteLength) return shape
  throw new RegionError(
    `the region's header says ${maxBreakers} breakers, ${maxThreads} threads and ` +
      `${arenaLines} lines, which does not fit its ${buffer.byteLength} bytes`,
  )
}

function view(buffer: SharedArrayBuffer, memory: Memory, shape: RegionShape): Region {
  const defaults = readNumbers(memory, shape.defaultsDouble)
  const timeoutMs = readFixedDouble(memory, HEADER.DEFAULT_TIMEOUT_DOUBLE)
  const timeoutHolds = timeoutMs === 0 || isWithin(timeoutMs, TIMER_DURATION)
  if (!(timeoutHolds && areSound(defaults))) {
    throw new RegionError("the region's default options are damaged")
  }
  const clock = readFixed(memory, HEADER.CLOCK)
  const origin = readFixedDouble(memory, HEADER.ORIGIN_DOUBLE)
  if (!((clock === CLOCK_MONOTONIC || clock === CLOCK_MANUAL) && Number.isFinite(origin))) {
    throw new RegionError(`the region's clock is damaged: kind ${clock}, zero at ${origin}`)
  }
  const tickMs = readFixedDouble(memory, HEADER.TICK_MS_DOUBLE)
  if (!(tickMs === 0 || isWithin(tickMs, TICK_MS))) {
    throw new RegionError(`the region's keeper is damaged: a tick of ${tickMs} ms`)
  }
  const high = readFixed(memory, HEADER.SEED + 1) >>> 0
  const low = readFixed(memory, HEADER.SEED) >>> 0
  return Object.freeze({
    memory,
    shape,
    clock: clockOf(memory),
    manualClock: clock === CLOCK_MANUAL,
    tickMs,
    seed: low,
    id: `${high.toString(16)}-${low.toString(16)}`,
    defaults,
    defaultTimeoutMs: timeoutMs > 0 ? timeoutMs : undefined,
    handle: Object.freeze({ busbar: LAYOUT_VERSION, buffer }),
  })
}

export function writeNumbers(memory: Memory, double: number, numbers: SharedNumbers): void {
  numbers.forEach((value, option) => {
    writeFixedDouble(memory, double + option, value)
  })
}

export function readNumbers(memory: Memory, double: number): SharedNumbers {
  return Object.freeze(
    Array.from({ length: OPTION_COUNT }, (_, option) => readFixedDouble(memory, double + option)),
  )
}
