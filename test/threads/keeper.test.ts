/** The keeper's life: when there is one, when it sleeps, wakes and ends. */
import { describe, expect, it } from 'vitest'
import { attachRegistry, createRegistry } from '../../src/index.ts'
import { HEADER } from '../../src/memory/layout.ts'
import { NO_KEEPER } from '../../src/memory/words/tick.ts'
import { verify } from '../../src/verify/verify.ts'
import { start } from './crew.ts'
import {
  AT_WORK_TICK,
  LIMIT_MS,
  makeKept,
  succeed,
  untilHolds,
  wake,
  within,
} from './keeper/support.ts'

/** Milliseconds: a keeper that nobody uses ticks on for 100 ms. The rest is for a busy machine. */
const SOON_ASLEEP_MS = 3000
/** Milliseconds without a call that no keeper takes for silence. */
const PAUSE_MS = 50

describe('there is a keeper', () => {
  it('unless the registry does without, or stands still', async () => {
    expect((await makeKept()).registry.snapshot().keeper).toBe('asleep')
    expect((await makeKept({ keeper: true })).registry.snapshot().keeper).toBe('asleep')
    expect((await makeKept({ keeper: { tickMs: 20 } })).registry.snapshot().keeper).toBe('asleep')
    for (const options of [{ keeper: false }, { clock: 'manual' }] as const) {
      using registry = createRegistry(options)
      for (let call = 0; call < 1000; call++) succeed(registry.breaker('b'))
      expect(registry.snapshot().keeper).toBe('none')
    }
  })

  it('awake under traffic, asleep without, and awake again', async () => {
    const kept = await makeKept()
    const { registry } = kept
    for (let round = 0; round < 3; round++) {
      await wake(kept)
      const quietSince = performance.now()
      await untilHolds(() => registry.snapshot().keeper === 'asleep')
      expect(performance.now() - quietSince).toBeLessThan(SOON_ASLEEP_MS)
    }
  })

  it('stays awake for as long as there is traffic', async () => {
    const kept = await makeKept()
    const { registry } = kept
    await wake(kept)
    const breaker = registry.breaker('traffic')
    let lastCall = registry.now()
    const end = lastCall + 500
    await untilHolds(
      () => registry.now() > end,
      () => {
        // Its state before our call; a pause of ours that is so long is none of its doing.
        const { keeper, now } = registry.snapshot()
        if (now - lastCall < PAUSE_MS) expect(keeper).toBe('awake')
        succeed(breaker)
        lastCall = registry.now()
      },
    )
  })

  it('stays asleep while nobody calls, whoever looks', async () => {
    const { registry } = await makeKept()
    const breaker = registry.breaker('b')
    const end = registry.now() + 500
    await untilHolds(
      () => registry.now() > end,
      () => {
        breaker.snapshot()
        breaker.canExecute()
        expect(breaker.state).toBe('closed')
        expect(registry.snapshot().keeper).toBe('asleep')
      },
    )
  })

  it("wakes by a worker's traffic alone, while this thread is blocked", async () => {
    const kept = await makeKept()
    kept.registry.breaker('b')
    const done = new Int32Array(new SharedArrayBuffer(4))
    const until = { word: HEADER.TICK, value: AT_WORK_TICK, done, limitMs: LIMIT_MS }
    const caller = start<string>(kept.registry, 'callUntil', { breaker: 'b', ...until })
    expect(Atomics.wait(done, 0, 0, 2 * LIMIT_MS)).not.toBe('timed-out')
    expect(await caller.result).toBe('awake')
  })
})

describe('the keeper ends', () => {
  it.each(['asleep', 'awake'] as const)('with the registry of this thread, %s', async state => {
    const kept = await makeKept()
    if (state === 'awake') await wake(kept)
    kept.registry.close()
    await within('the thread ends', kept.exited)
    expect(kept.memory[HEADER.TICK]).toBe(NO_KEEPER)
    expect(verify(kept.registry.handle.buffer, { quiet: true })).toEqual([])
  })

  it('with the last of them, and not with a worker that leaves', async () => {
    const kept = await makeKept()
    kept.registry.breaker('b')
    const other = attachRegistry(kept.registry.handle)
    const worker = start<boolean>(kept.registry, 'leave', { breaker: 'b' })
    expect(await worker.result).toBe(true)
    await worker.exited
    kept.registry.close()
    // Whoever is stopped stays so: a keeper that can be woken was not.
    await wake({ ...kept, registry: other })
    other.close()
    await within('the thread ends', kept.exited)
  })

  it('for good: a registry attached later has none, and does without', async () => {
    const kept = await makeKept()
    kept.registry.close()
    await within('the thread ends', kept.exited)
    using later = attachRegistry(kept.registry.handle)
    const breaker = later.breaker('b')
    for (let call = 0; call < 1000; call++) succeed(breaker)
    expect(later.snapshot()).toMatchObject({ keeper: 'none', breakers: [{ state: 'closed' }] })
    expect(breaker.snapshot().window.calls).toBe(1000)
  })
})

describe('a worker', () => {
  it('can have a region of its own, but no keeper for it', async () => {
    using registry = createRegistry({ keeper: false })
    const refused = { code: 'ERR_INVALID_OPTION', option: 'options.keeper' }
    expect(await start(registry, 'makeOwn', {}).result).toEqual({
      kept: [refused, refused],
      keeper: 'none',
    })
  })
})
