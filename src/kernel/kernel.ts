/**
 * The WebAssembly kernel of one thread: busbar.h, compiled, on the region's own memory. It does
 * what protocol/ does, in one call where JavaScript takes an Atomics call for each step: V8 calls
 * out of its compiled code for those, and compiles WebAssembly's atomics to single instructions.
 *
 * Each thread has an instance, whose stack and breakers stand in the area of the thread's slot. A
 * thread in the overflow slot has none, and where a thread has several registries of a region one
 * of them has each breaker there: the others go on in JavaScript, which may be mixed with the
 * kernel at will, since both keep the same protocol.
 *
 * A breaker with other options, or another in its record, is JavaScript's to look up: the kernel
 * answers -3 to every call that meets one, until it is told what was found.
 */
import { Buffer } from 'node:buffer'
import { notify, ownDouble } from '#atomics'
import { RegionError } from '../errors.ts'
import { areaOf, type KernelMemory, STACK_BYTES, webAssembly } from '../memory/kernel-memory.ts'
import { HEADER, OPTION } from '../memory/layout.ts'
import type { Region } from '../memory/region.ts'
import { type Cell, type News, reportDamage } from '../protocol/cell.ts'
import { OVERFLOW_SLOT } from '../protocol/slots.ts'
import { monotonicNow, wakeKeeper } from '../time/monotonic.ts'
import { MODULE_BASE64 } from './module.ts'

/** The module's exports. Pointers are numbers; a breaker's is what `hold` returned. */
export interface KernelCalls {
  tryAcquire(breaker: number): number
  /** 1 when the outcome counted, 0 when it was late, -3 to look again: see core.ts. */
  recordSuccess(breaker: number, permit: number, durationMs: number): number
  recordFailure(breaker: number, permit: number, durationMs: number): number
  release(breaker: number, permit: number): number
  refusedBy(breaker: number): number
  enter(head: number, regionBytes: number, slot: number, thread: number): number
  hold(head: number, breaker: number, entry: bigint, record: number): number
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

/** A core as the kernel knows it: at most one of a thread holds a breaker's place in the area. */
export interface Holder {
  readonly cell: Cell
  readonly isHeld: boolean
  /** The place is another's from now on. */
  giveUp(): void
}

export class Kernel {
  readonly calls: KernelCalls
  readonly #head: number
  /** Who holds each place, by the number of the breaker. */
  readonly #holders: Holder[] = []

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
    // The stack grows down from here.
    this.calls.__stack_pointer.value = this.#head
    const status = this.calls.enter(this.#head, memory.byteLength, slot, thread)
    if (status !== 0) throw new RegionError(`the kernel refuses the region: status ${status}`)
  }

  /**
   * Reads the breaker of that core; where the kernel keeps what it knows of it. Undefined where
   * that is not for the kernel, or another registry of this thread has it there.
   */
  hold(holder: Holder): number | undefined {
    const { breaker, first, entry, record, numbers } = holder.cell
    // It does not tell calls in flight by age.
    if (numbers[OPTION.HANGING] !== 0) return undefined
    const other = this.#holders[breaker]
    if (other !== undefined && other !== holder && other.isHeld && other.cell.breaker === breaker) {
      if (other.cell.first === first) return undefined
      // What it held is gone; it has not met that yet.
      other.giveUp()
    }
    this.#holders[breaker] = holder
    return this.calls.hold(this.#head, breaker, entry, record * 4)
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
