/** Damage is warned of once a thread: a file of its own, which has its thread to itself. */
import { expect, it, vi } from 'vitest'
import { attachRegistry, REFUSED } from '../../src/index.ts'
import { packState } from '../../src/memory/words/state.ts'
import { makeHostile } from './words.ts'

it('warns of damage once for a thread, however many registries it has of the region', () => {
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const hostile = makeHostile('manual')
  const again = attachRegistry(hostile.registry.handle)
  const first = hostile.cells[0]
  if (first === undefined) throw new RangeError('no breaker')
  hostile.memory[first.state] = packState(0, 7, 0)
  for (const registry of [hostile.registry, again]) {
    for (let ask = 0; ask < 3; ask++) {
      expect(registry.breaker('time').tryAcquire()).not.toBe(REFUSED)
    }
  }
  expect(hostile.registry.snapshot().damaged).toBe(6)
  expect(warnings).toHaveBeenCalledTimes(1)
})
