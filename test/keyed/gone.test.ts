/** Handles of breakers that are gone: whose calls they are, and whose not. */
import { expect, it } from 'vitest'
import { attachRegistry, createRegistry, RegistryFullError } from '../../src/index.ts'
import { RECORD, STATES } from '../../src/memory/layout.ts'
import { attachRegion } from '../../src/memory/region.ts'
import { packNext, packState } from '../../src/memory/words/state.ts'
import { packTagged, packTimed } from '../../src/memory/words/timed.ts'
import { Directory } from '../../src/protocol/directory.ts'
import { verify } from '../../src/verify/verify.ts'

it('throws at a command where there is no room, and touches no other breaker', () => {
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 1, maxThreads: 2 })
  const a = registry.breaker('a')
  a.tryAcquire()
  registry.remove('a')
  const b = registry.breaker('b')
  b.tryAcquire()
  expect(() => a.forceOpen()).toThrow(RegistryFullError)
  expect(() => a.snapshot()).toThrow(RegistryFullError)
  expect(b.state).toBe('closed')
})
it('looks as if it were made again', () => {
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 1, maxThreads: 2 })
  const a = registry.breaker('a')
  registry.remove('a')
  const b = registry.breaker('b')
  b.forceOpen()
  expect(a.state).toBe('closed')
  expect(a.canExecute()).toBe(true)
  expect(a.retryAfterMs()).toBe(0)
  expect(() => a.configure({ minimumNumberOfCalls: 3 })).toThrow(RegistryFullError)
  expect(registry.names()).toEqual(['b'])
})
it('settles calls before it is found again', () => {
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 4, maxThreads: 2 })
  const a = registry.breaker('a')
  const permit = a.tryAcquire()
  registry.remove('a')
  const b = registry.breaker('b')
  b.release(b.tryAcquire())
  a.release(permit)
  a.release(a.tryAcquire())
  expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
})
it('history and counts outlive half of all generations', () => {
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 4, maxThreads: 2 })
  const a = registry.breaker('a')
  a.release(a.tryAcquire())
  const region = attachRegion(registry.handle)
  const [cell] = new Directory(region, { thread: 0, parent: 0 }).cells()
  if (!cell) throw new Error()
  const g = 2 ** 21 + 10
  const { memory } = region
  const l = cell.recordLong
  memory[cell.state] = packState(g, 0, 1)
  memory.longs[l + RECORD.NEXT_LONG] = packNext(g, 0, 0)
  memory.longs[l + RECORD.NEXT_LONG + 1] = packNext(g - 1, 1, 0)
  memory.longs[l + RECORD.SINCE_LONG] = packTimed(g, 0)
  memory.longs[l + RECORD.SINCE_LONG + 1] = packTimed(g - 1, 0)
  memory.longs[l + RECORD.OPENINGS_LONG] = packTagged(g + 1, 0)
  memory.longs[l + RECORD.OPENINGS_LONG + 1] = packTagged(g, 1)
  memory.longs[l + RECORD.TRANSITIONS_LONG + 1] = packTagged(g, g / 2)
  memory.longs[l + RECORD.TRANSITIONS_LONG + STATES] = packTagged(g + 1, g / 2)
  a.forceOpen()
  expect(registry.history().length).toBe(1)
  expect(a.snapshot().transitions).toBe(g + 1)
})
it('settles a call that no breaker guarded', () => {
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 2, maxThreads: 2 })
  const row = { slidingWindow: { type: 'consecutive', failures: 3 } } as const
  const a = registry.breaker('a')
  a.release(a.tryAcquire())
  registry.remove('a')
  registry.breaker('b')
  registry.breaker('c', row)
  const permit = a.tryAcquire()
  registry.remove('b')
  a.release(a.tryAcquire())
  a.release(permit)
  expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
})
it('settles a call of a thread without a slot, made again meanwhile', () => {
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 2, maxThreads: 2 })
  const a = registry.breaker('a')
  registry.close()
  const again = attachRegistry(registry.handle)
  const permit = a.tryAcquire()
  again.remove('a')
  a.release(a.tryAcquire())
  a.release(permit)
  expect(verify(registry.handle.buffer, { quiet: true })).toEqual([])
})
it('counts in no slot that was given back', () => {
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 2, maxThreads: 2 })
  const a1 = registry.breaker('a')
  registry.remove('a')
  const a2 = registry.breaker('a')
  expect(a1).not.toBe(a2)
  a2.release(a2.tryAcquire())
  a1.release(a1.tryAcquire())
  registry.close()
  a1.tryAcquire()
  expect(verify(registry.handle.buffer, {})).toEqual([])
})
