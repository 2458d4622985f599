/** A keeper that is late hides no call that hangs: who asks looks at the clock. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { REFUSED } from '../../../src/index.ts'
import { store } from '../../../src/memory/atomics.ts'
import { HEADER } from '../../../src/memory/layout.ts'
import { makeKept, within } from '../../threads/keeper/support.ts'

const SLOW_MS = 320
const STEP_MS = SLOW_MS / 16

it('the first ask after calls have come to hang opens the breaker, whatever the keeper says', async () => {
  const { registry, memory, keeper, exited } = await makeKept()
  await keeper.terminate()
  await within('the thread ends', exited)
  const breaker = registry.breaker('b', {
    slowCallDurationThresholdMs: SLOW_MS,
    minimumNumberOfCalls: 3,
    countHangingCalls: true,
  })
  // A step has just begun, so that what is summed now holds for longer than two ticks.
  while (registry.now() % STEP_MS > STEP_MS / 10) await sleep(1)
  // The keeper has just ticked, and will not do so again. That is taken on trust for a while.
  store(memory, HEADER.TICK, 1)
  for (let call = 0; call < 3; call++) expect(breaker.tryAcquire()).toBeGreaterThanOrEqual(0)
  await sleep(SLOW_MS + 2 * STEP_MS)
  expect(breaker.snapshot()).toMatchObject({ state: 'closed', window: { hangingCalls: 3 } })
  expect(breaker.tryAcquire()).toBe(REFUSED)
  expect(breaker.state).toBe('open')
})
