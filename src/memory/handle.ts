/** What travels to other threads: the buffer, and what cannot stand in it. */
import { describe, RegionError } from '../errors.ts'
import {
  isPacked,
  type OptionSets,
  type PackedSets,
  packSets,
  unpackSets,
} from '../options/sets.ts'
import type { ExportedBreaker } from '../options/types.ts'
import { isKernelMemory, type KernelMemory } from './kernel-memory.ts'
import { LAYOUT_VERSION } from './layout.ts'

/** What travels to other threads: structured-cloneable, for `workerData` or `postMessage`. */
export interface RegistryHandle {
  /** The layout version. */
  readonly busbar: number
  /** The region stands at its start. */
  readonly buffer: SharedArrayBuffer
  /** With `kernel: 'wasm'`: the WebAssembly.Memory whose buffer that is. */
  readonly memory?: KernelMemory
  /** Named sets of options, where there are any. */
  readonly optionSets?: PackedSets
  /** States that wait for their breakers to be made. */
  readonly warmStart?: WarmStartHandle
}

/** As it travels with the region. */
export interface WarmStartHandle {
  readonly breakers: readonly ExportedBreaker[]
  /** A word for each: whether its breaker has had its state. */
  readonly marks: SharedArrayBuffer
}

/** What travels with a region beside it. */
export interface Beside {
  readonly optionSets: OptionSets
  readonly warmStart: WarmStartHandle | undefined
}

export function setsOf(handle: object): OptionSets {
  const packed = 'optionSets' in handle ? handle.optionSets : undefined
  if (isPacked(packed)) return unpackSets(packed)
  throw new RegionError(`the handle's option sets are ${describe(packed)}, not a registry's`)
}

export function kernelMemoryOf(handle: object): KernelMemory | undefined {
  const memory = 'memory' in handle ? handle.memory : undefined
  if (memory === undefined) return undefined
  if (isKernelMemory(memory)) return memory
  throw new RegionError(`the handle's memory is ${describe(memory)}, no shared WebAssembly.Memory`)
}

export function handleOf(
  buffer: SharedArrayBuffer,
  memory: KernelMemory | undefined,
  { optionSets, warmStart }: Beside,
): RegistryHandle {
  return Object.freeze({
    busbar: LAYOUT_VERSION,
    buffer,
    ...(memory === undefined ? {} : { memory }),
    ...(optionSets.size === 0 ? {} : { optionSets: packSets(optionSets) }),
    ...(warmStart === undefined ? {} : { warmStart }),
  })
}
