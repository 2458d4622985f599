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
import { controlLinesOf } from './controls.ts'
import {
  type Beside,
  handleOf,
  kernelMemoryOf,
  type RegistryHandle,
  setsOf,
  type WarmStartHandle,
} from './handle.ts'
import { type KernelMemory, makeMemory, memoryBytesOf } from './kernel-memory.ts'
import {
  CLOCK_MANUAL,
  CLOCK_MONOTONIC,
  HEADER,
  HEADER_WORDS,
  LAYOUT_VERSION,
  MAGIC,
  MAX_THREADS,
  OPTION,
  OPTION_COUNT,
  type RecordShape,
  shapeOf,
} from './layout.ts'
import { type Geometry, type RegionShape, regionShapeOf } from './region-shape.ts'

/** A thread's view of a region. Its geometry was checked and is not read again. */
export interface Region extends Beside {
  readonly memory: Memory
  readonly shape: RegionShape
  /** With a WebAssembly kernel: the memory in which the region stands. */
  readonly kernelMemory: KernelMemory | undefined
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
      hanging: at(OPTION.HANGING),
    },
    maxThreads,
  )
}

/** The default options, with what makes their record longer. */
const LARGEST_USUAL = DEFAULT_NUMBERS.with(OPTION.HANGING, 1)

/**
 * Makes a region: room for `maxBreakers` records of its defaults or the usual, the larger ones, and
 * for `maxControls` of the larger usual controls.
 */
export function createRegion(options: ResolvedRegistry, warmStart?: WarmStartHandle): Region {
  const { maxBreakers, maxThreads, maxControls, defaults } = options
  const lines = Math.max(
    recordShapeOf(defaults, maxThreads).lines,
    recordShapeOf(LARGEST_USUAL, maxThreads).lines,
  )
  const controlLines = maxControls * controlLinesOf(maxThreads)
  const arenaLines = maxBreakers * lines
  const shape = regionShapeOf({ maxBreakers, maxThreads, arenaLines, maxControls, controlLines })
  const { kernelMemory, buffer } = allocate(shape, options.kernel)
  const memory = viewsOf(buffer, shape.words)
  writeFixed(memory, HEADER.VERSION, LAYOUT_VERSION)
  writeFixed(memory, HEADER.MAX_BREAKERS, maxBreakers)
  writeFixed(memory, HEADER.MAX_THREADS, maxThreads)
  writeFixed(memory, HEADER.ARENA_LINES, shape.arenaLines)
  writeFixed(memory, HEADER.MAX_CONTROLS, maxControls)
  writeFixed(memory, HEADER.CONTROL_LINES, controlLines)
  writeFixed(memory, HEADER.CLOCK, options.manualClock ? CLOCK_MANUAL : CLOCK_MONOTONIC)
  writeFixed(memory, HEADER.SEED, randomInt(2 ** 32))
  writeFixed(memory, HEADER.SEED + 1, randomInt(2 ** 32))
  writeFixedDouble(memory, HEADER.ORIGIN_DOUBLE, monotonicNow())
  writeFixedDouble(memory, HEADER.TICK_MS_DOUBLE, options.tickMs)
  writeFixedDouble(memory, HEADER.DEFAULT_TIMEOUT_DOUBLE, options.local.timeoutMs ?? 0)
  defaults.forEach((value, option) => {
    writeFixedDouble(memory, shape.defaultsDouble + option, value)
  })
  // ATOMIC region.publish
  //   publishes: everything above.
  //   dies here: before the store nobody has the buffer; a copy of its bytes is refused.
  store(memory, HEADER.MAGIC, MAGIC)
  return view(memory, shape, kernelMemory, { optionSets: options.optionSets, warmStart })
}

interface Allocated {
  readonly kernelMemory: KernelMemory | undefined
  readonly buffer: SharedArrayBuffer
}

function allocate(shape: RegionShape, kernel: ResolvedRegistry['kernel']): Allocated {
  const bytes = kernel === 'wasm' ? memoryBytesOf(shape) : shape.words * 4
  const kernelMemory = kernel === 'wasm' ? makeMemory(shape) : undefined
  const buffer = kernel === 'wasm' ? kernelMemory?.buffer : makeBuffer(bytes)
  if (buffer !== undefined) return { kernelMemory, buffer }
  throw new InvalidOptionError(
    'options.maxBreakers',
    shape.maxBreakers,
    `small enough for one shared buffer (${bytes} bytes were asked for and not granted; ` +
      'fewer breakers, threads or buckets need less)',
  )
}

function makeBuffer(bytes: number): SharedArrayBuffer | undefined {
  try {
    return new SharedArrayBuffer(bytes)
  } catch {
    return undefined
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
  const kernelMemory = kernelMemoryOf(handle)
  const buffer = kernelMemory?.buffer ?? handle.buffer
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
  const shape = checkShape(memory, kernelMemory !== undefined)
  const warmStart = 'warmStart' in handle ? (handle as RegistryHandle).warmStart : undefined
  const beside = { optionSets: setsOf(handle), warmStart }
  return view(viewsOf(buffer, shape.words), shape, kernelMemory, beside)
}

/** What the header says of the region's size. Not to be trusted before it was checked. */
export function geometryOf(memory: Memory): Geometry {
  return {
    maxBreakers: readFixed(memory, HEADER.MAX_BREAKERS),
    maxThreads: readFixed(memory, HEADER.MAX_THREADS),
    arenaLines: readFixed(memory, HEADER.ARENA_LINES),
    maxControls: readFixed(memory, HEADER.MAX_CONTROLS),
    controlLines: readFixed(memory, HEADER.CONTROL_LINES),
  }
}

function checkShape(memory: Memory, hasKernel: boolean): RegionShape {
  const geometry = geometryOf(memory)
  const { maxBreakers, maxThreads, arenaLines, maxControls, controlLines } = geometry
  const sane =
    maxThreads <= MAX_THREADS &&
    [maxBreakers, maxThreads, arenaLines, maxControls, controlLines].every(size => size >= 1)
  const shape = regionShapeOf(geometry)
  const bytes = hasKernel ? memoryBytesOf(shape) : shape.words * 4
  if (sane && bytes === memory.byteLength) return shape
  throw new RegionError(
    `the region's header says ${maxBreakers} breakers, ${maxThreads} threads, ${arenaLines} ` +
      `lines, ${maxControls} controls and ${controlLines} lines of theirs, which does not fit ` +
      `its ${memory.byteLength} bytes`,
  )
}

function view(
  memory: Memory,
  shape: RegionShape,
  kernelMemory: KernelMemory | undefined,
  beside: Beside,
): Region {
  const defaults = readDefaults(memory, shape)
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
    kernelMemory,
    clock: clockOf(memory),
    manualClock: clock === CLOCK_MANUAL,
    tickMs,
    seed: low,
    id: `${high.toString(16)}-${low.toString(16)}`,
    defaults,
    defaultTimeoutMs: timeoutMs > 0 ? timeoutMs : undefined,
    ...beside,
    handle: handleOf(memory.buffer, kernelMemory, beside),
  })
}

/** The options of breakers that say nothing else. */
export function readDefaults(
  memory: Memory,
  { defaultsDouble: double }: RegionShape,
): SharedNumbers {
  return Object.freeze(
    Array.from({ length: OPTION_COUNT }, (_, option) => readFixedDouble(memory, double + option)),
  )
}
