/**
 * The memory of a region that the WebAssembly kernel works on: the region at its start, then an
 * area for each slot, in whole pages.
 *
 *   | region | area of slot 1 | area of slot 2 | ...
 *              stack, then what the kernel knows of its thread and of each breaker
 *
 * Nothing in an area is shared: it is the memory of the one thread that holds the slot.
 */
import { types } from 'node:util'
import { InvalidOptionError } from '../errors.ts'
import type { RegionShape } from './region-shape.ts'

type Shape = Pick<RegionShape, 'maxBreakers' | 'maxThreads' | 'words'>

/** A shared WebAssembly.Memory, by shape: Node's types do not know WebAssembly. */
export interface KernelMemory {
  readonly buffer: SharedArrayBuffer
}

interface WebAssemblyLike {
  Memory: new (limits: { initial: number; maximum: number; shared: true }) => KernelMemory
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { readonly exports: object }
}

/** What a process without WebAssembly (--jitless) has not. */
export function webAssembly(): WebAssemblyLike | undefined {
  return (globalThis as { WebAssembly?: WebAssemblyLike }).WebAssembly
}

export function isKernelMemory(value: unknown): value is KernelMemory {
  const Memory = webAssembly()?.Memory
  return Memory !== undefined && value instanceof Memory && types.isSharedArrayBuffer(value.buffer)
}

const PAGE_BYTES = 65_536

/** The kernel needs some hundred bytes of it, and calls nothing that calls itself. */
export const STACK_BYTES = 4096
/** At least what the kernel says that it needs: test/kernel compares. */
export const HEAD_BYTES = 256
export const BREAKER_BYTES = 384

function areaBytesOf({ maxBreakers }: Shape): number {
  return STACK_BYTES + HEAD_BYTES + maxBreakers * BREAKER_BYTES
}

function regionBytesOf({ words }: Shape): number {
  return words * 4
}

/** Where a slot's area starts, in bytes. */
export function areaOf(shape: Shape, slot: number): number {
  return regionBytesOf(shape) + (slot - 1) * areaBytesOf(shape)
}

function pagesOf(shape: Shape): number {
  return Math.ceil(areaOf(shape, shape.maxThreads + 1) / PAGE_BYTES)
}

export function memoryBytesOf(shape: Shape): number {
  return pagesOf(shape) * PAGE_BYTES
}

/** Undefined when there is not that much. @throws InvalidOptionError where WebAssembly is off. */
export function makeMemory(shape: Shape): KernelMemory | undefined {
  const pages = pagesOf(shape)
  const Memory = webAssembly()?.Memory
  if (Memory === undefined) {
    throw new InvalidOptionError('options.kernel', 'wasm', "'js' where there is no WebAssembly")
  }
  try {
    return new Memory({ initial: pages, maximum: pages, shared: true })
  } catch {
    return undefined
  }
}
