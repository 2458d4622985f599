/**
 * The kernel of a thread whose breaker is given other options, or is removed: it says so, and
 * JavaScript looks; from then on the kernel goes by what JavaScript has found.
 */
import { afterEach, expect, it } from 'vitest'
import { attachRegistry, createRegistry, REFUSED, type Registry } from '../../src/index.ts'
import { type Holder, Kernel } from '../../src/kernel/kernel.ts'
import { DEFINITION, DEFINITION_WORDS, HEADER, OPTION } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { packEntry } from '../../src/memory/words/threads.ts'
import { encodeName } from '../../src/options/breaker.ts'
import { NO_NEWS } from '../../src/protocol/cell.ts'
import { cellOf, Directory, type Entry } from '../../src/protocol/directory.ts'
import { claimSlot } from '../../src/protocol/slots.ts'
import { threadState } from '../../src/threads/identity.ts'
import { verify } from '../../src/verify/verify.ts'

const ID = { thread: 9, parent: 0 }
const LOOK_AGAIN = -3
const OPTIONS = { slidingWindow: { type: 'count', size: 100 }, minimumNumberOfCalls: 10 } as const

const registries: Registry[] = []

function make(): Registry {
  const registry = createRegistry({ kernel: 'wasm', clock: 'manual', maxBreakers: 2 })
  registries.push(registry)
  return registry
}

afterEach(() => {
  for (const registry of registries.splice(0)) registry.close()
})

/** What the kernel of this thread answers from now on, to cores that are made from now on. */
function answersOf({ handle }: Registry): number[] {
  const kernel = threadState().memberships.get(attachRegion(handle).id)?.kernel
  if (kernel === undefined) throw new Error('no kernel')
  const answers: number[] = []
  const { tryAcquire, recordSuccess, recordFailure, release } = kernel.calls
  const told = (answer: number): number => {
    answers.push(answer)
    return answer
  }
  const calls = {
    ...kernel.calls,
    tryAcquire: (breaker: number) => told(tryAcquire(breaker)),
    recordSuccess: (...args: [number, number, number]) => told(recordSuccess(...args)),
    recordFailure: (...args: [number, number, number]) => told(recordFailure(...args)),
    release: (...args: [number, number]) => told(release(...args)),
  }
  Object.assign(kernel, { calls })
  return answers
}

it('goes by other options after one look', () => {
  const registry = make()
  const answers = answersOf(registry)
  const breaker = registry.breaker('b', OPTIONS)
  breaker.recordSuccess(breaker.tryAcquire(), 30)
  expect(answers.splice(0)).toEqual([0, 1])
  const permit = breaker.tryAcquire()
  breaker.configure({ slowCallDurationThresholdMs: 20 })
  breaker.recordFailure(permit, 30)
  for (let call = 0; call < 7; call += 1) breaker.recordSuccess(breaker.tryAcquire(), 30)
  breaker.configure({ failureRateThreshold: 0.1 })
  breaker.recordSuccess(breaker.tryAcquire())
  expect(breaker.tryAcquire()).toBe(REFUSED)
  expect(answers).not.toContain(LOOK_AGAIN)
  expect(breaker.snapshot()).toMatchObject({ state: 'open', totals: { slow: 8, refused: 1 } })
  expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
})

it('meets the options that another thread gave', () => {
  const registry = make()
  const answers = answersOf(registry)
  const breaker = registry.breaker('b', OPTIONS)
  for (let call = 0; call < 9; call += 1) breaker.recordFailure(breaker.tryAcquire())
  answers.splice(0)
  const region = attachRegion(registry.handle)
  const directory = new Directory(region, ID)
  const entry = directory.find('b') as Entry
  const numbers = entry.numbers.map((of, option) => (option === OPTION.FAILURE_RATE ? 0.95 : of))
  expect(directory.replace(entry, encodeName('b'), numbers)).toBe(true)
  // Not known to anybody until STATE says so: that thread has died.
  breaker.release(breaker.tryAcquire())
  expect(answers.splice(0)).toEqual([0, 1])
  registry.get('b')?.snapshot()
  const other = cellOf(region, directory.find('b') as Entry, ID)
  region.memory[other.state] = (region.memory[other.state] ?? 0) + 8
  breaker.recordSuccess(breaker.tryAcquire())
  expect(answers).toEqual([LOOK_AGAIN, 1])
  expect(breaker.options.failureRateThreshold).toBe(0.95)
  expect(breaker.snapshot()).toMatchObject({ state: 'closed', window: { failures: 9, calls: 10 } })
})

it('follows a breaker that is made again, and settles late what was before', () => {
  const registry = make()
  const answers = answersOf(registry)
  const breaker = registry.breaker('b', OPTIONS)
  const permit = breaker.tryAcquire()
  registry.remove('b')
  breaker.recordSuccess(permit)
  breaker.recordSuccess(breaker.tryAcquire())
  answers.splice(0)
  breaker.recordSuccess(breaker.tryAcquire())
  expect(answers).toEqual([2, 1])
  const { totals } = breaker.snapshot()
  expect(totals).toMatchObject({ admitted: 2, succeeded: 2, inFlight: 0 })
  expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
})

it('counts for no other breaker in the record of one that is gone', () => {
  const registry = make()
  const first = registry.breaker('a', OPTIONS)
  first.recordSuccess(first.tryAcquire())
  const other = attachRegistry(registry.handle)
  registries.push(other)
  other.remove('a')
  const b = other.breaker('b', OPTIONS)
  b.recordSuccess(b.tryAcquire())
  // This registry has not met the removal; its breaker is made anew, beside the other.
  first.recordFailure(first.tryAcquire())
  expect(b.snapshot()).toMatchObject({ name: 'b', totals: { admitted: 1, failed: 0 } })
  expect(first.snapshot()).toMatchObject({ name: 'a', totals: { admitted: 1, failed: 1 } })
})

it('never reads what was replaced while it was told: it says to look again', () => {
  const registry = make()
  const { handle } = registry
  registry.breaker('b', OPTIONS)
  const region = attachRegion(handle)
  const directory = new Directory(region, ID)
  const entry = directory.find('b') as Entry
  const slot = claimSlot(region.memory, region.shape, ID)
  if (region.kernelMemory === undefined) throw new Error('no kernel')
  const kernel = new Kernel(region, region.kernelMemory, slot, ID.thread, NO_NEWS)
  const holder: Holder = { cell: cellOf(region, entry, ID), isHeld: true, giveUp: () => undefined }
  const { long, definition } = entry
  const { memory, shape } = region
  const start = (shape.breakers.definitions + definition * DEFINITION_WORDS) / 2
  const damages: readonly (() => void)[] = [
    () => directory.replace(entry, encodeName('b'), entry.numbers),
    () => (memory.longs[long] = packEntry(3, 2 ** 20 - 2, entry.shape.lines)),
    () => (memory.longs[long] = packEntry(1, definition, entry.shape.lines - 1)),
    () => (memory.doubles[start + DEFINITION.OPTIONS_DOUBLE + OPTION.TRIALS] = -1e300),
    () => (memory.doubles[start + DEFINITION.MADE_DOUBLE + OPTION.WINDOW] = Number.NaN),
    () => (memory.longs[long] = 0n),
  ]
  const before = Array.from(
    { length: DEFINITION_WORDS / 2 },
    (_, at) => [start + at, memory.doubles[start + at] ?? 0] as const,
  )
  for (const damage of damages) {
    damage()
    const breaker = kernel.hold(holder) ?? 0
    const { tryAcquire, recordSuccess, recordFailure, release, refusedBy } = kernel.calls
    expect(breaker).toBeGreaterThan(0)
    expect([tryAcquire(breaker), tryAcquire(breaker)]).toEqual([LOOK_AGAIN, LOOK_AGAIN])
    expect(recordSuccess(breaker, 0, 1)).toBe(LOOK_AGAIN)
    expect(recordFailure(breaker, 2 ** 52, Number.NaN)).toBe(LOOK_AGAIN)
    expect(release(breaker, 0)).toBe(LOOK_AGAIN)
    expect(refusedBy(breaker)).toBe(-1)
    // And it knows it again once it is told what stands there.
    memory.longs[long] = entry.word
    for (const [at, value] of before) memory.doubles[at] = value
    expect(tryAcquire(kernel.hold(holder) ?? 0)).toBe(0)
  }
  expect(memory[HEADER.DAMAGED]).toBe(0)
})
