/**
 * The WebAssembly kernel of one thread: busbar.h, compiled, on the region's own memory. It does
 * what protocol/ does, in one call where JavaScript takes an Atomics call for each step: V8 calls
 * out of its compiled code for those, and compiles WebAssembly's atomics to single instructions.
 *
 * Each thread has an instance, whose stack and breakers stand in the area of the thread's slot. A
 * thread in the overflow slot has none, nor has one whose area is full: it goes on in JavaScript,
 * which may be mixed with the kernel at will, since both keep the same protocol.
 */
import { Buffer } from 'node:buffer'
import { notify, ownDouble } from '#atomics'
import { RegionError } from '../errors.ts'
import { areaOf, type KernelMemory, STACK_BYTES, webAssembly } from '../memory/kernel-memory.ts'
import { HEADER, OPTION } from '../memory/layout.ts'
import type { Region } from '../memory/region.ts'
import { type News, reportDamage } from '../protocol/cell.ts'
import type { Entry } from '../protocol/directory.ts'
import { OVERFLOW_SLOT } from '../protocol/slots.ts'
import { monotonicNow, wakeKeeper } from '../time/monotonic.ts'
import { MODULE_BASE64 } from './module.ts'

/** The module's exports. Pointers are numbers; a breaker's is what `hold` returned. */
export interface KernelCalls {
  tryAcquire(breaker: number): number
  /** 1 when the outcome counted, 0 when it was late. */
  recordSuccess(breaker: number, permit: number, durationMs: number): number
  recordFailure(breaker: number, permit: number, durationMs: number): number
  release(breaker: number, permit: number): void
  refusedBy(breaker: number): number
  enter(head: number, regionBytes: number, slot: number, thread: number): number
  hold(head: number, index: number, breaker: number, definition: number, record: number): number
  headBytes(): number
  breakerBytes(): number
  readonly __stack_pointer: { value: number }
}

/** What is damaged, by the numbers that the kernel gives. */
const DAMAGED = ['the state word of a breaker', 'the end of a wait', 'the lease of a trial']

let module: object | undefined

function instantiate(
  { memory }: Region,
  kernelMemory: KernelMemory,
  head: number,
  news: News,
): KernelCalls {
  const wasm = webAssembly()
  if (wasm === undefined) throw new RegionError('the region needs WebAssembly, which is off here')
  module ??= new wasm.Module(Buffer.from(MODULE_BASE64, 'base64'))
  const time = ownDouble(kernelMemory.buffer, head)
  const host = {
    refresh: () => {
      time[0] = monotonicNow()
    },
    damage: (what: number) => reportDamage(memory, DAMAGED[what] ?? 'a word'),
    wake: () => wakeKeeper(memory),
    listensTo: (breaker: number) => (news.listensTo(breaker) ? 1 : 0),
    news: () => {
      notify(memory, HEADER.JOURNAL_HEAD)
      news.notice()
    },
  }
  const imports = { env: { memory: kernelMemory }, host }
  return new wasm.Instance(module, imports).exports as KernelCalls
}

export class Kernel {
  readonly calls: KernelCalls
  readonly #head: number
  readonly #capacity: number
  #held = 0

  constructor(
    region: Region,
    kernelMemory: KernelMemory,
    slot: number,
    thread: number,
    news: News,
  ) {
    const { memory, shape } = region
    this.#head = areaOf(shape, slot) + STACK_BYTES
    this.calls = instantiate(region, kernelMemory, this.#head, news)
    this.#capacity = shape.maxBreakers
    // The stack grows down from here.
    this.calls.__stack_pointer.value = this.#head
    const status = this.calls.enter(this.#head, memory.byteLength, slot, thread)
    if (status !== 0) throw new RegionError(`the kernel refuses the region: status ${status}`)
  }

  /** Where the kernel keeps what it knows of the breaker; undefined when there is no room left. */
  hold({ number, definition, record, numbers }: Entry): number | undefined {
    // It does not tell calls in flight by age.
    if (this.#held >= this.#capacity || numbers[OPTION.HANGING] !== 0) return undefined
    const index = this.#held++
    return this.calls.hold(this.#head, index, number, definition, record * 4)
  }
}

/**
 * The kernel of this thread, which holds `slot` and has the number `thread`; undefined where
 * JavaScript does its work.
 */
export function enterKernel(
  region: Region,
  slot: number,
  thread: number,
  news: News,
): Kernel | undefined {
  const { kernelMemory } = region
  if (kernelMemory === undefined || slot === OVERFLOW_SLOT) return undefined
  return new Kernel(region, kernelMemory, slot, thread, news)
}
