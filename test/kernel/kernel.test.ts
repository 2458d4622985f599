/** `kernel: 'wasm'`: where it works, where JavaScript goes on in its place, and what is refused. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import {
  attachRegistry,
  createRegistry,
  InvalidOptionError,
  REFUSED,
  RegionError,
  type Registry,
  type RegistryHandle,
  type RegistryOptions,
} from '../../src/index.ts'
import { coreOf } from '../../src/kernel/core.ts'
import { enterKernel, type Kernel } from '../../src/kernel/kernel.ts'
import { BREAKER_BYTES, HEAD_BYTES } from '../../src/memory/kernel-memory.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { Core } from '../../src/protocol/breaker.ts'
import { type News, NO_NEWS } from '../../src/protocol/cell.ts'
import { cellOf, Directory, type Entry } from '../../src/protocol/directory.ts'
import { STAYS } from '../../src/protocol/follower.ts'
import { claimAnnouncement } from '../../src/protocol/journal.ts'
import { seenState } from '../../src/protocol/look.ts'
import { claimSlot } from '../../src/protocol/slots.ts'
import { threadState } from '../../src/threads/identity.ts'
import { verify } from '../../src/verify/verify.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const ID = { thread: 9, parent: 0 }

const registries: Registry[] = []

function make(options: RegistryOptions = {}): Registry {
  const registry = createRegistry({ kernel: 'wasm', clock: 'manual', maxThreads: 2, ...options })
  registries.push(registry)
  return registry
}

afterEach(() => {
  for (const registry of registries.splice(0)) registry.close()
})

function kernelOf({ handle }: Registry): Kernel | undefined {
  return threadState().memberships.get(attachRegion(handle).id)?.kernel
}

/** A made-up permit of any kind; the types forbid what JavaScript does not. */
function record(registry: Registry, permit: unknown, durationMs?: unknown): void {
  const breaker = registry.breaker('b')
  breaker.recordSuccess(permit as number, durationMs as number)
  breaker.recordFailure(permit as number, durationMs as number)
  breaker.release(permit as number)
}

it('is the default where `npm run test:wasm` says so, and nowhere else', () => {
  const registry = createRegistry({ clock: 'manual' })
  expect(registry.handle.memory !== undefined).toBe(process.env.BUSBAR_TEST_KERNEL === 'wasm')
  registry.close()
})

it('is that of its sources', () => {
  execFileSync(process.execPath, ['scripts/kernel.mjs', '--check'], { cwd: ROOT })
})

it('fits into the areas of the slots', () => {
  const calls = kernelOf(make())?.calls
  expect(calls?.headBytes()).toBeLessThanOrEqual(HEAD_BYTES)
  expect(calls?.breakerBytes()).toBeLessThanOrEqual(BREAKER_BYTES)
})

it('carries out the calls of the core', () => {
  const registry = make()
  registry.breaker('b', { slidingWindow: { type: 'consecutive', failures: 2 } })
  const region = attachRegion(registry.handle)
  const entry = new Directory(region, ID).find('b') as Entry
  const slot = claimSlot(region.memory, region.shape, ID)
  const core = coreOf(enterKernel(region, slot, 9, NO_NEWS), cellOf(region, entry, ID), slot, STAYS)
  // JavaScript's own takes other ways, and would not know of this refusal.
  expect(core.constructor).not.toBe(Core)
  for (const _ of [1, 2]) expect(core.recordFailure(core.tryAcquire())).toBe(true)
  expect(core.tryAcquire()).toBe(REFUSED)
  expect(core.refusedBy).toBe(seenState(core.cell))
  expect(Core.prototype.tryAcquire.call(core)).toBe(REFUSED)
  expect(registry.breaker('b').snapshot().totals).toMatchObject({ failed: 2, refused: 2 })
})

it('tells of transitions, and of nothing else', () => {
  const registry = make({ maxThreads: 3 })
  registry.breaker('a')
  registry.breaker('b', { slidingWindow: { type: 'consecutive', failures: 2 } })
  const region = attachRegion(registry.handle)
  const told: string[] = []
  const news: News = {
    listensTo: breaker => told.push(`listens to ${breaker}?`) > 0,
    notice: () => told.push('notice'),
  }
  const slot = claimSlot(region.memory, region.shape, ID)
  const kernel = enterKernel(region, slot, 9, news)
  const entry = new Directory(region, ID).find('b') as Entry
  const core = coreOf(kernel, cellOf(region, entry, ID), slot, STAYS)
  for (let call = 0; call < 100; call += 1) core.recordSuccess(core.tryAcquire(), 1)
  core.recordFailure(core.tryAcquire())
  expect(told).toEqual([])
  core.recordFailure(core.tryAcquire())
  expect(told).toEqual(['listens to 1?', 'notice'])
  for (let call = 0; call < 100; call += 1) expect(core.tryAcquire()).toBe(REFUSED)
  expect(told.length).toBe(2)
  expect(registry.history()).toMatchObject([
    { breaker: 'b', thread: 9, reason: 'failures in a row' },
  ])
  // It announces the transition itself: nobody else may.
  const place = { memory: region.memory, region: region.shape }
  expect([0, 9].map(thread => claimAnnouncement(place, 0, thread))).toEqual([false, true])
})

it('takes what is no permit for late, as JavaScript does', () => {
  const permits = [Number.NaN, 0.5, -1, 2 ** 31, 2 ** 52, 2 ** 53, 1e300, 7n, '0', null, undefined]
  const totals = (['js', 'wasm'] as const).map(kernel => {
    const registry = make({ kernel })
    for (const permit of permits) record(registry, permit)
    for (const durationMs of [Number.NaN, -1, 1n, '1', null]) record(registry, 0, durationMs)
    return registry.breaker('b').snapshot().totals
  })
  expect(totals[1]).toEqual(totals[0])
})

it('leaves a thread without a slot, and one that has closed its registry, to JavaScript', () => {
  const registry = make({ maxThreads: 1 })
  const breaker = registry.breaker('b')
  const permit = breaker.tryAcquire()
  const region = attachRegion(registry.handle)
  const slot = claimSlot(region.memory, region.shape, { thread: 9, parent: 0 })
  expect(enterKernel(region, slot, 9, NO_NEWS)).toBe(undefined)
  registry.close()
  breaker.recordSuccess(permit)
  expect(breaker.snapshot().totals).toMatchObject({ admitted: 1, succeeded: 1, late: 0 })
})

it('goes on in JavaScript where another registry of the thread has the breaker', () => {
  const registry = make({ maxBreakers: 2 })
  const others = [1, 2].map(() => attachRegistry(registry.handle))
  const breakers = [registry, ...others].flatMap(each => ['a', 'b'].map(name => each.breaker(name)))
  for (const breaker of breakers) breaker.recordSuccess(breaker.tryAcquire())
  const totals = { admitted: 3, succeeded: 3, inFlight: 0 }
  expect(registry.breaker('a').snapshot().totals).toMatchObject(totals)
  expect(registry.breaker('b').snapshot().totals).toMatchObject(totals)
  expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
  for (const other of others) other.close()
})

it('is refused where it is no such thing', () => {
  for (const kernel of ['WASM', '', 1, true, null, {}]) {
    const options = { kernel } as unknown as RegistryOptions
    expect(() => createRegistry(options)).toThrow(InvalidOptionError)
    expect(() => createRegistry(options)).toThrow(/options\.kernel must be 'js' or 'wasm'; got/)
  }
})

it('refuses a memory that is none, too short, or left out', () => {
  const { busbar, buffer } = make().handle
  const refused = (handle: unknown, message: RegExp): void => {
    expect(() => attachRegistry(handle as RegistryHandle)).toThrow(RegionError)
    expect(() => attachRegistry(handle as RegistryHandle)).toThrow(message)
  }
  for (const memory of [null, 1, {}, buffer, { buffer }]) {
    refused({ busbar, buffer, memory }, /the handle's memory is .*, no shared WebAssembly.Memory/)
  }
  refused({ busbar, buffer }, /does not fit its \d+ bytes/)
})
