/** Any order of time, ticks and calls: how long a thread can be misled. Prints a seed that fails. */
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { load } from '../../src/memory/atomics.ts'
import { HEADER } from '../../src/memory/layout.ts'
import { ASLEEP, FIRST_TICK, NO_KEEPER, nextTick } from '../../src/memory/words/tick.ts'
import {
  BOUND_MS,
  clock,
  glance,
  MAX_GLANCES,
  memory,
  START,
  setTick,
  setTime,
  TICK_MS,
  time,
  useClock,
} from './monotonic/bench.ts'

vi.mock('node:process', () => import('./monotonic/process.ts'))

const LAST_TICK = 2 ** 30

/** What may come between two glances. */
const step = fc.oneof(
  fc.record({ pass: fc.constantFrom(0, 0, 0.5, 1, 3, TICK_MS, 40) }),
  fc.record({ tick: fc.constantFrom('next', ASLEEP, NO_KEEPER, -77, LAST_TICK, FIRST_TICK) }),
  fc.record({ glances: fc.constantFrom(1, 2, 10, 300, 1000) }),
)
type Step = { pass?: number; tick?: number | 'next'; glances?: number }

it('no more than 256 calls in a row believe in a bound that is over', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), steps => {
      useClock(TICK_MS)
      setTick(FIRST_TICK)
      let misled = 0
      for (const { pass = 0, tick, glances = 0 } of steps as Step[]) {
        setTime(time() + pass)
        if (tick !== undefined) {
          setTick(tick === 'next' ? nextTick(load(memory, HEADER.TICK)) : tick)
        }
        for (let call = 0; call < glances; call++) {
          glance()
          misled = clock.latest < time() ? misled + 1 : 0
          expect(misled).toBeLessThanOrEqual(MAX_GLANCES)
        }
      }
    }),
  )
})

it('none does while the keeper is on time', () => {
  const moment = fc.record({
    pass: fc.double({ min: 0, max: TICK_MS, noNaN: true }),
    glances: fc.nat(600),
  })
  fc.assert(
    fc.property(fc.array(moment, { maxLength: 60 }), moments => {
      useClock(TICK_MS)
      setTick(FIRST_TICK)
      let tickedAt = START
      for (const { pass, glances } of moments) {
        const now = time() + pass
        // It may be late by as much as a tick.
        if (now >= tickedAt + BOUND_MS) {
          setTick(nextTick(load(memory, HEADER.TICK)))
          tickedAt = now
        }
        setTime(now)
        for (let call = 0; call < glances; call++) {
          glance()
          expect(clock.latest).toBeGreaterThanOrEqual(now)
        }
      }
    }),
  )
})
