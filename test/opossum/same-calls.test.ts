/** Scenarios that opossum 9.0.0 and busbar play alike: calls and what answers them. */
import { describe } from 'vitest'
import { act, alike, delay, down } from './support.ts'

describe('calls', () => {
  alike(
    'succeed and fail',
    [
      ['success', 1, 0],
      ['failure', 'Error: down', 0, ['fail']],
    ],
    async stage => {
      const circuit = stage.circuit(act)
      await stage.fire(circuit, 1, 2)
      await stage.fire(circuit, 'fail')
      stage.look(circuit)
    },
  )

  alike(
    'fail, whatever is thrown, and when',
    [
      ['!', 'text'],
      ['!', undefined],
    ],
    async stage => {
      for (const thrown of ['text', undefined, down]) {
        const circuit = stage.circuit(() => Promise.reject(thrown))
        await stage.fire(circuit)
        stage.look(circuit)
      }
      const circuit = stage.circuit(() => {
        throw down
      })
      await stage.fire(circuit)
      stage.look(circuit)
    },
  )

  alike('are given their arguments, and the `this` of call()', [['=', '5 1']], async stage => {
    const circuit = stage.circuit(async function (this: { n: number }, x: number) {
      return `${this.n} ${x}`
    } as never)
    stage.log.push(['=', await circuit.call({ n: 5 }, 1)])
  })

  alike('that are no functions give themselves', [['success', 'foo', 0]], async stage => {
    await stage.fire(stage.circuit('foo' as never))
  })

  alike(
    'that take too long time out, and what they give later changes nothing',
    [['timeout', 'ETIMEDOUT: Timed out after 20ms', 20, [60]], ['open']],
    async stage => {
      const circuit = stage.circuit((ms: number) => delay(ms), { timeout: 20 })
      const call = stage.fire(circuit, 60)
      await stage.advance(20)
      await call
      await stage.advance(60)
      stage.log.push(circuit.opened, circuit.stats.timeouts, circuit.stats.failures)
    },
  )

  for (const timeout of [false, 0] as const) {
    alike(
      `have all the time with timeout: ${timeout}`,
      [['success', 'late', 11_000]],
      async stage => {
        const circuit = stage.circuit((ms: number) => delay(ms, 'late'), { timeout })
        const call = stage.fire(circuit, 11_000)
        await stage.advance(11_000)
        await call
      },
    )
  }

  alike('time out after 10 s', [['!', 'ETIMEDOUT: Timed out after 10000ms']], async stage => {
    const circuit = stage.circuit((ms: number) => delay(ms))
    const call = stage.fire(circuit, 11_000)
    await stage.advance(10_000)
    await call
  })
})

describe('fallbacks', () => {
  alike(
    'answer failures, timeouts and refusals, with arguments and error',
    [['=', '1,2,Error: down']],
    async stage => {
      const fallen = (...args: unknown[]) =>
        args.map(arg => (arg instanceof Error ? String(arg) : arg)).join()
      const circuit = stage
        .circuit(async (x: number) => (x === 1 ? act('fail') : delay(99)), {
          timeout: 20,
          errorThresholdPercentage: 90,
          volumeThreshold: 2,
        })
        .fallback(fallen)
      await stage.fire(circuit, 1, 2)
      const call = stage.fire(circuit, 3)
      await stage.advance(20)
      await call
      await stage.fire(circuit, 4)
      stage.log.push(circuit.stats.fallbacks)
    },
  )

  alike(
    'may be circuits, may fail, and are not asked for errors that are filtered',
    [['!', 'Error: fallen']],
    async stage => {
      const other = stage.circuit(async (...args: unknown[]) => args.length)
      const circuit = stage.circuit(act, { errorThresholdPercentage: 99 }).fallback(other)
      stage.log.push(await circuit.fire('fail'))
      circuit.fallback(() => {
        throw new Error('fallen')
      })
      await stage.fire(circuit, 'fail')
      stage.log.push(circuit.stats.fallbacks)
    },
  )
})

describe('disabled', () => {
  alike('there is nothing around a call but `fire`', [['=', 'done']], async stage => {
    const options = { enabled: false, timeout: 5, cache: true, capacity: 1 }
    const circuit = stage.circuit(
      async (ms: unknown) => (ms === 'fail' ? act(ms) : delay(20, 'done')),
      options,
    )
    circuit.fallback(() => 'fallen')
    const calls = [stage.fire(circuit, 1), stage.fire(circuit, 1), stage.fire(circuit, 'fail')]
    await stage.advance(20)
    await Promise.all(calls)
    stage.look(circuit)
  })

  alike('by hand, and back', [['failure', 'Error: down', 0, ['fail']]], async stage => {
    const circuit = stage.circuit(act)
    circuit.disable()
    await stage.fire(circuit, 1)
    stage.look(circuit)
    circuit.enable()
    for (const outcome of [1, 'fail']) await stage.fire(circuit, outcome)
    stage.look(circuit)
  })
})

describe('health checks', () => {
  alike(
    'open the circuit, at once and at intervals',
    [['healthCheckFailed', 'Error: sick']],
    async stage => {
      const circuit = stage.circuit(act, { resetTimeout: 1_000 })
      let isSick = false
      const seen: unknown[] = []
      circuit.healthCheck(async function (this: unknown) {
        seen.push(this === circuit)
        if (isSick) throw new Error('sick')
      }, 100)
      await stage.advance(100)
      isSick = true
      await stage.advance(200)
      stage.look(circuit)
      stage.log.push(seen)
    },
  )
})

describe('abort controllers', () => {
  alike('are aborted by timeouts', [true], async stage => {
    const abortController = new AbortController()
    const circuit = stage.circuit(() => delay(99), { abortController, timeout: 20 })
    stage.log.push(circuit.getSignal() === abortController.signal)
    stage.log.push(circuit.getAbortController() === abortController, abortController.signal.aborted)
    const call = stage.fire(circuit)
    await stage.advance(20)
    await call
    stage.log.push(abortController.signal.aborted, circuit.getSignal() === abortController.signal)
  })

  alike('renew themselves when half-open', [['close']], async stage => {
    const circuit = stage.circuit((ms: number) => delay(ms), {
      autoRenewAbortController: true,
      timeout: 20,
      resetTimeout: 50,
    })
    const first = circuit.getSignal()
    const call = stage.fire(circuit, 99)
    await stage.advance(20)
    await call
    stage.log.push(first?.aborted, circuit.getSignal() === first)
    await stage.advance(50)
    const second = circuit.getSignal()
    stage.log.push(second === first, second?.aborted)
    const trial = stage.fire(circuit, 5)
    await stage.advance(5)
    await trial
    stage.log.push(circuit.getSignal() === second)
  })

  alike('are nobody’s but who asks for them', [undefined], async stage => {
    stage.log.push(
      stage.circuit(act).getSignal(),
      stage.circuit(async () => 1).getAbortController(),
    )
  })
})
