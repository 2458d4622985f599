/**
 * Where opossum 9.0.0 and busbar differ, and that they do: what the same scenario gives with either.
 * The table in docs/migration/opossum.md has a row for each.
 */
import { describe, expect, vi } from 'vitest'
import { act, type Circuit, delay, differ, down, type Stage } from './support.ts'

interface Held {
  readonly circuit: Circuit
  /** Begins a call; `end` ends it so, and waits for its answer. */
  start(): { end(outcome: unknown): Promise<unknown> }
}

/** A circuit whose calls the test ends. */
function held(stage: Stage, options = {}): Held {
  const ends: ((outcome: unknown) => void)[] = []
  const action = () => new Promise(resolve => ends.push(resolve)).then(act)
  const circuit = stage.circuit(action, { resetTimeout: 50, ...options })
  const start: Held['start'] = () => {
    const call = stage.fire(circuit)
    const resolve = ends.at(-1)
    return {
      end(outcome) {
        resolve?.(outcome)
        return call
      },
    }
  }
  return { circuit, start }
}

async function openFor(stage: Stage, circuit: Circuit, ms: number): Promise<void> {
  circuit.open()
  await stage.advance(ms)
}

describe('opening', () => {
  differ(
    'the rate is over calls that have ended (nodeshift/opossum#558)',
    { opossum: false, busbar: true },
    async stage => {
      const { circuit, start } = held(stage, { volumeThreshold: 5 })
      const hanging = Array.from({ length: 10 }, start)
      for (let call = 0; call < 5; call++) await start().end('fail')
      const isOpened = circuit.opened
      for (const { end } of hanging) await end(1)
      return isOpened
    },
  )

  differ(
    '100 percent is reached when all calls fail',
    { opossum: false, busbar: true },
    async stage => {
      const options = { errorThresholdPercentage: 100, volumeThreshold: 3 }
      const circuit = stage.circuit(act, options)
      for (let call = 0; call < 9; call++) await stage.fire(circuit, 'fail')
      return circuit.opened
    },
  )

  differ('14 of 25 are not above 56 percent', { opossum: true, busbar: false }, async stage => {
    const circuit = stage.circuit(act, { errorThresholdPercentage: 56, volumeThreshold: 25 })
    for (let call = 0; call < 25; call++) await stage.fire(circuit, call < 11 ? 1 : 'fail')
    return circuit.opened
  })

  differ(
    'the call that makes the volume opens, whatever became of it',
    { opossum: false, busbar: true },
    async stage => {
      const circuit = stage.circuit(act, { volumeThreshold: 3 })
      for (const outcome of ['fail', 'fail', 1]) await stage.fire(circuit, outcome)
      return circuit.opened
    },
  )

  differ('a closed circuit starts afresh', { opossum: true, busbar: false }, async stage => {
    const circuit = stage.circuit(act, { volumeThreshold: 2 })
    for (let call = 0; call < 2; call++) await stage.fire(circuit, 'fail')
    circuit.close()
    await stage.fire(circuit, 'fail')
    return circuit.opened
  })

  differ(
    'refusals for want of capacity are no failures',
    { opossum: { failures: 1, opened: true }, busbar: { failures: 0, opened: false } },
    async stage => {
      const options = { capacity: 1, errorThresholdPercentage: 10 }
      const { circuit, start } = held(stage, options)
      const { end } = start()
      expect(await stage.fire(circuit)).toBe('ESEMLOCKED: Semaphore locked')
      expect(circuit.stats.semaphoreRejections).toBe(1)
      const { opened, stats } = circuit
      await end(1)
      return { failures: stats.failures, opened }
    },
  )

  differ(
    'refusals of a circuit further in are no failures of the outer one',
    { opossum: true, busbar: false },
    async stage => {
      const inner = stage.circuit(act)
      inner.open()
      const outer = stage.circuit(async () => inner.fire(1))
      expect(await stage.fire(outer)).toBe('EOPENBREAKER: Breaker is open')
      return outer.opened
    },
  )

  differ('enable() closes', { opossum: true, busbar: false }, async stage => {
    const circuit = stage.circuit(act)
    for (const command of ['open', 'disable', 'enable'] as const) circuit[command]()
    return circuit.opened
  })
})

describe('half-open', () => {
  differ('a call from before does not close', { opossum: true, busbar: false }, async stage => {
    const { circuit, start } = held(stage)
    const { end } = start()
    await openFor(stage, circuit, 50)
    expect(await end('late')).toBe('late')
    return circuit.closed
  })

  differ('a call from before does not open', { opossum: true, busbar: false }, async stage => {
    const { circuit, start } = held(stage)
    const before = start()
    await openFor(stage, circuit, 50)
    const trial = start()
    await before.end('fail')
    const isOpened = circuit.opened
    await trial.end(1)
    return isOpened
  })

  differ(
    'a trial that was overtaken by close() changes nothing',
    { opossum: true, busbar: false },
    async stage => {
      const { circuit, start } = held(stage)
      await openFor(stage, circuit, 50)
      const { end } = start()
      circuit.close()
      await end('fail')
      return circuit.opened
    },
  )

  differ<unknown>(
    'a trial that fails while warming up lets the next one try',
    { opossum: 'EOPENBREAKER: Breaker is open', busbar: 1 },
    async stage => {
      const circuit = stage.circuit(act, { allowWarmUp: true, resetTimeout: 50 })
      await openFor(stage, circuit, 50)
      await stage.fire(circuit, 'fail')
      return stage.fire(circuit, 1)
    },
  )

  differ<unknown>(
    'a trial that never ends is given up after a minute',
    { opossum: 'EOPENBREAKER: Breaker is open', busbar: 'ok' },
    async stage => {
      let hangs = true
      const action = () => (hangs ? new Promise(() => {}) : Promise.resolve('ok'))
      const circuit = stage.circuit(action, { timeout: false, resetTimeout: 50 })
      await openFor(stage, circuit, 50)
      void circuit.fire()
      hangs = false
      await stage.advance(60_100)
      return stage.fire(circuit)
    },
  )

  differ(
    'an open state that is restored twice ends when it would have (nodeshift/opossum#719)',
    { opossum: [true, false], busbar: [true, true] },
    async stage => {
      const first = stage.circuit(act, { resetTimeout: 100, name: 'first' })
      await openFor(stage, first, 40)
      const { state } = first.toJSON()
      const second = stage.circuit(act, { resetTimeout: 100, name: 'second', state })
      await stage.advance(40)
      const later = second.toJSON().state
      const third = stage.circuit(act, { resetTimeout: 100, name: 'third', state: later })
      await stage.advance(15)
      const isOpened = third.opened
      await stage.advance(5)
      return [isOpened, third.halfOpen]
    },
  )
})

describe('calls', () => {
  differ('a listener that throws harms nobody', { opossum: 1, busbar: 0 }, async stage => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    const circuit = stage.circuit(act)
    circuit.on('success', () => {
      throw down
    })
    const heard: unknown[] = []
    circuit.on('success', () => heard.push('next'))
    await stage.fire(circuit, 1)
    const { failures } = circuit.stats
    if (failures === 0) {
      const warning = expect.stringContaining("a listener of 'success' threw: Error: down")
      expect(warn.mock.calls).toEqual([[warning]])
      expect(heard).toEqual(['next'])
    }
    warn.mockRestore()
    return failures
  })

  differ(
    'the time of a timeout is counted once',
    { opossum: [20, 20], busbar: [20] },
    async stage => {
      const circuit = stage.circuit(() => delay(99), { timeout: 20 })
      const call = stage.fire(circuit)
      await stage.advance(20)
      await call
      return circuit.stats.latencyTimes
    },
  )

  differ(
    'a controller that a timeout aborted renews itself while closed too',
    { opossum: true, busbar: false },
    async stage => {
      const circuit = stage.circuit(() => delay(99), {
        autoRenewAbortController: true,
        timeout: 20,
        volumeThreshold: 9,
      })
      const first = circuit.getSignal()
      const call = stage.fire(circuit)
      await stage.advance(20)
      await call
      expect(first?.aborted).toBe(true)
      return circuit.getSignal()?.aborted
    },
  )

  differ('health checks end with shutdown()', { opossum: 3, busbar: 1 }, async stage => {
    const circuit = stage.circuit(act)
    let checks = 0
    circuit.healthCheck(async () => {
      checks++
    }, 50)
    circuit.shutdown()
    await stage.advance(100)
    return checks
  })

  differ('fire() never throws', { opossum: 'thrown', busbar: 'rejected' }, async stage => {
    const circuit = stage.circuit(act, { cache: true })
    const circular: unknown[] = []
    circular.push(circular)
    try {
      return await circuit.fire(circular).catch(() => 'rejected')
    } catch {
      return 'thrown'
    }
  })

  differ('refusals are not coalesced', { opossum: 'fallen', busbar: 'made' }, async stage => {
    const action = async (ms: number) => (ms > 0 ? delay(ms) : 'made')
    const circuit = stage.circuit(action, { capacity: 1, coalesce: true })
    circuit.fallback(() => 'fallen')
    const slow = stage.fire(circuit, 20)
    expect(await stage.fire(circuit, 0)).toBe('fallen')
    await stage.advance(20)
    await slow
    return (await stage.fire(circuit, 0)) as string
  })
})
