/**
 * Every case of cases.jsonl that is data, by permits and by `execute`.
 *
 * Where the translation departs from a case:
 * - HO-13 reads the state at 6150 and expects the outlived trials to have been noticed. Reading
 *   moves nothing in busbar, so a call is tried first (and refused), here and in TH-01. The limit
 *   is each trial's lease and not one for the whole state; both trials began at once, so their
 *   leases end when the case's limit does.
 * - HO-11 and other counts within a half-open period are those of the trials: every generation
 *   begins with an empty window.
 * - HO-15 composes two breakers; the data replay gives the outer one its cancellation, the test
 *   below composes two real ones.
 * - ME-01 completes one call twice: by `execute` only (see ONLY_EXECUTE).
 * - MC-01 leaves open whether a minimum above the window's size is refused: it means the size.
 * - HO-03, LR-01, LR-02, EV-02 expect events: those of the registry's history.
 * - TP-04 asks for an automatic half-open timer: busbar has no timers, so there is none to outlive.
 * - CK-01 moves the wall clock under a manual clock, which proves little; clock.test.ts does it on
 *   the real one.
 * - CL-02 times out: `execute` by a real time-out of 1 ms, permits by `recordFailure`.
 */
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { readCases } from './cases.ts'
import { CoreFace, ExecuteFace } from './faces.ts'
import { replay } from './replay.ts'
import { LEFT_OUT, ONLY_EXECUTE, OWN_TEST, WITH_THREADS } from './tables.ts'

const elsewhere = new Set([...Object.keys(LEFT_OUT), ...WITH_THREADS, ...OWN_TEST])
const cases = readCases()
const here = cases.filter(({ id }) => !elsewhere.has(id))

describe('by permits', () => {
  const byPermits = here.filter(({ id }) => ONLY_EXECUTE[id] === undefined)
  for (const one of byPermits) {
    it(`${one.id}: ${one.title}`, () => replay(one, breaker => new CoreFace(breaker)))
  }
})

describe('by execute', () => {
  for (const one of here) {
    it(`${one.id}: ${one.title}`, () => replay(one, breaker => new ExecuteFace(breaker)))
  }
})

it('every name in the tables is a case, and stands in one table only', () => {
  const named = [...Object.keys(LEFT_OUT), ...WITH_THREADS, ...OWN_TEST]
  expect(named.toSorted()).toEqual([...new Set(named)].toSorted())
  const ids = new Set(cases.map(({ id }) => id))
  expect([...named, ...Object.keys(ONLY_EXECUTE)].filter(id => !ids.has(id))).toEqual([])
  expect(cases.length).toBe(here.length + named.length)
})

it('HO-15: a trial refused by the inner breaker gives its place back', async () => {
  const registry = createRegistry({ clock: 'manual' })
  const guard = (name: string, waitMs: number) =>
    registry.breaker(name, {
      slidingWindow: { type: 'consecutive', failures: 1 },
      waitDurationInOpenStateMs: waitMs,
      permittedNumberOfCallsInHalfOpenState: 1,
    })
  const [outer, inner] = [guard('outer', 1_000), guard('inner', 20_000)]
  const call = (work: () => Promise<string>) => outer.execute(() => inner.execute(work))
  await expect(call(() => Promise.reject(new Error('down')))).rejects.toThrow('down')
  expect([outer.state, inner.state]).toEqual(['open', 'open'])
  registry.advance(1_100)
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await expect(call(async () => 'never runs')).rejects.toMatchObject({ breaker: 'inner' })
    expect(outer.snapshot()).toMatchObject({ state: 'half-open', trials: { inFlight: 0 } })
    registry.advance(100)
  }
  registry.advance(20_000)
  expect(await call(async () => 'up')).toBe('up')
  expect([outer.state, inner.state]).toEqual(['closed', 'closed'])
  registry.close()
})
