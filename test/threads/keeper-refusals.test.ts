/**
 * A refusal ends when it is due, whatever the keeper does: never early, and late by no more calls
 * than a thread takes one tick on trust.
 */
import { describe, expect, it } from 'vitest'
import { createRegistry, REFUSED, type Registry } from '../../src/index.ts'
import { type Memory, store } from '../../src/memory/atomics.ts'
import { HEADER } from '../../src/memory/layout.ts'
import { start } from './crew.ts'
import { clockBeside, LIMIT_MS, makeKept, wake, within } from './keeper/support.ts'

const WAIT_MS = 50
const ROUNDS = 10
/** Calls in a row that may be misled by a keeper that is late or dead: see monotonic.ts. */
const MOST_MISLED = 256
/** Within which a thread that asks without pause is admitted, where nothing interrupts it. */
const LATENESS_MS = 5
/** The end of a wait is kept in whole microseconds. */
const ROUNDING_MS = 0.002

interface Ending {
  /** Refused calls that began when the wait was over. */
  readonly misled: number
  /** When the first call was admitted, counted from the end of the wait. */
  readonly lateMs: number
}

/** Opens a breaker and asks until it admits; `between` two calls is told the time to go. */
function askUntilAdmitted(registry: Registry, between = (_toGoMs: number): void => {}): Ending {
  const now = clockBeside(registry)
  const breaker = registry.breaker('b', { waitDurationInOpenStateMs: WAIT_MS })
  breaker.reset()
  breaker.open()
  const due = breaker.snapshot().since + WAIT_MS
  let misled = 0
  for (;;) {
    const before = now()
    if (breaker.tryAcquire() !== REFUSED) return { misled, lateMs: now() - due }
    if (before >= due + ROUNDING_MS) misled++
    if (before > due + LIMIT_MS) throw new Error(`refused ${before - due} ms after it was due`)
    between(due - before)
  }
}

function expectOnTime(endings: readonly Ending[]): void {
  for (const { misled, lateMs } of endings) {
    expect(lateMs).toBeGreaterThanOrEqual(-ROUNDING_MS)
    expect(misled).toBeLessThanOrEqual(MOST_MISLED)
  }
}

/** Of a thread that asked without pause, several times: one at least was not interrupted. */
function expectSoon(endings: readonly Ending[]): void {
  expectOnTime(endings)
  expect(endings).toHaveLength(ROUNDS)
  const lateness = endings.map(({ lateMs }) => lateMs)
  expect(Math.min(...lateness)).toBeLessThan(LATENESS_MS)
}

function rounds<T>(play: (round: number) => T): T[] {
  return Array.from({ length: ROUNDS }, (_, round) => play(round))
}

/** A region whose keeper has died. */
async function makeWidowed(): Promise<{ registry: Registry; memory: Memory }> {
  const kept = await makeKept()
  await kept.keeper.terminate()
  await within('the thread ends', kept.exited)
  return kept
}

describe('a refusal ends on time', () => {
  it('without a keeper', () => {
    using registry = createRegistry({ keeper: false })
    expectSoon(rounds(() => askUntilAdmitted(registry)))
  })

  it.each([1, 5, 20])('with a keeper awake, a tick of %i ms', async tickMs => {
    const kept = await makeKept({ keeper: { tickMs } })
    await wake(kept)
    expectSoon(rounds(() => askUntilAdmitted(kept.registry)))
  })

  it('with a keeper asleep, which these calls wake', async () => {
    const endings: Ending[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const { registry } = await makeKept()
      expect(registry.snapshot().keeper).toBe('asleep')
      endings.push(askUntilAdmitted(registry))
      expect(registry.snapshot().keeper).toBe('awake')
      registry.close()
    }
    expectSoon(endings)
  })

  it('with a keeper that ticks more slowly than breakers recover', async () => {
    const kept = await makeKept({ keeper: { tickMs: 1000 } })
    expectSoon(rounds(() => askUntilAdmitted(kept.registry)))
  })

  it('with a keeper that is killed in the midst of it', async () => {
    const endings: Ending[] = []
    const endingsAfterwards: Ending[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const kept = await makeKept()
      await wake(kept)
      let isKilled = false
      const kill = (): void => {
        if (!isKilled) kept.keeper.terminate()
        isKilled = true
      }
      // We hear of its end only when we have stopped asking: its last tick stands until then.
      const ending = askUntilAdmitted(kept.registry, toGoMs => {
        if (toGoMs < WAIT_MS / 2) kill()
      })
      kill() // where we were kept from running until it was due
      endings.push(ending)
      await within('the thread ends', kept.exited)
      expect(kept.registry.snapshot().keeper).toBe('none')
      endingsAfterwards.push(askUntilAdmitted(kept.registry))
      kept.registry.close()
    }
    expectSoon(endings)
    expectSoon(endingsAfterwards)
  })

  it('with a keeper that stands still', async () => {
    const { registry, memory } = await makeWidowed()
    const standStill = (round: number): void => store(memory, HEADER.TICK, round + 1)
    expectSoon(
      rounds(round => {
        standStill(round)
        return askUntilAdmitted(registry)
      }),
    )
  })

  it('with a keeper that ticked last just before the calls became few', async () => {
    const { registry, memory } = await makeWidowed()
    const now = clockBeside(registry)
    expectOnTime(
      rounds(round =>
        askUntilAdmitted(registry, toGoMs => {
          // Within two ticks of the last one a busy thread comes to trust it for 256 calls,
          if (toGoMs > 0.6 * WAIT_MS) store(memory, HEADER.TICK, round + 1)
          // which at this pace go on for longer than the wait.
          if (toGoMs < 0.5 * WAIT_MS) for (const end = now() + 0.2; now() < end; );
        }),
      ),
    )
  })

  it('in a worker, while this thread is blocked', async () => {
    const kept = await makeKept()
    await wake(kept)
    kept.registry.breaker('b', { waitDurationInOpenStateMs: WAIT_MS })
    const done = new Int32Array(new SharedArrayBuffer(4))
    const args = { breaker: 'b', waitMs: WAIT_MS, rounds: ROUNDS, done }
    const asker = start<Ending[]>(kept.registry, 'askUntilAdmitted', args)
    expect(Atomics.wait(done, 0, 0, LIMIT_MS)).not.toBe('timed-out')
    expectSoon(await asker.result)
  })
})
