/** Scenarios that opossum 9.0.0 and busbar play alike: when circuits open and close. */
import { describe } from 'vitest'
import { act, alike, delay } from './support.ts'

describe('opening', () => {
  const outcomes = [
    'fail',
    1,
    'fail',
    1,
    1,
    'fail',
    'fail',
    'fail',
    1,
    'fail',
    'fail',
    'fail',
    'fail',
  ]

  alike(
    'above half by default, and at the first failure',
    [['open'], ['reject', 'EOPENBREAKER: Breaker is open']],
    async stage => {
      const first = stage.circuit(act)
      for (const outcome of ['fail', 1]) await stage.fire(first, outcome)
      stage.look(first)
      const later = stage.circuit(async (outcome: unknown) => act(outcome))
      for (const outcome of [1, ...outcomes]) await stage.fire(later, outcome)
      stage.look(later)
    },
  )

  for (const errorThresholdPercentage of [0, 33, 60]) {
    alike(`above ${errorThresholdPercentage} percent`, [['open']], async stage => {
      const circuit = stage.circuit(act, { errorThresholdPercentage })
      for (const outcome of [1, ...outcomes]) await stage.fire(circuit, outcome)
      stage.look(circuit)
    })
  }

  alike('not below volumeThreshold', [['open']], async stage => {
    const circuit = stage.circuit(act, { volumeThreshold: 3 })
    for (let call = 0; call < 4; call++) await stage.fire(circuit, 'fail')
    stage.look(circuit)
    stage.log.push(circuit.volumeThreshold)
  })

  alike('by failures of the last rollingCountTimeout', [['open']], async stage => {
    const options = { rollingCountTimeout: 100, rollingCountBuckets: 4, volumeThreshold: 2 }
    const circuit = stage.circuit(act, options)
    await stage.fire(circuit, 'fail')
    await stage.advance(100)
    await stage.fire(circuit, 'fail')
    stage.look(circuit)
    await stage.fire(circuit, 'fail')
    stage.look(circuit)
  })

  alike('not while warming up', [['open']], async stage => {
    const options = { allowWarmUp: true, rollingCountTimeout: 100 }
    const circuit = stage.circuit(act, options)
    await stage.fire(circuit, 'fail')
    stage.look(circuit)
    await stage.advance(110)
    stage.look(circuit)
    await stage.fire(circuit, 'fail')
    stage.look(circuit)
  })

  alike(
    'not by errors that are filtered',
    [
      ['success', 'Error: 404', 0],
      ['!', 'Error: 404'],
    ],
    async stage => {
      const action = async (status: number) => {
        throw new Error(String(status))
      }
      const circuit = stage.circuit(action, { errorFilter: error => error.message === '404' })
      circuit.fallback(() => 'fallen')
      await stage.fire(circuit, 404)
      stage.look(circuit)
      await stage.fire(circuit, 500)
      await stage.fire(circuit, 500)
      stage.look(circuit)
    },
  )

  alike('by hand, once', [['open'], ['close']], async stage => {
    const circuit = stage.circuit(act)
    for (const command of ['open', 'open', 'close', 'close'] as const) {
      circuit[command]()
      await stage.advance(5)
      stage.look(circuit)
      await stage.fire(circuit, 1)
    }
  })

  alike(
    'by what was called before it opened: only the call itself',
    [['=', 'late']],
    async stage => {
      const circuit = stage.circuit(async (ms: number) =>
        ms > 0 ? delay(ms, 'late') : act('fail'),
      )
      const slow = stage.fire(circuit, 20)
      circuit.open()
      await stage.settle()
      await stage.advance(20)
      await slow
      stage.look(circuit)
    },
  )
})

describe('half-open', () => {
  alike('after resetTimeout, whether it is called or not', [['halfOpen', 50]], async stage => {
    const circuit = stage.circuit(act, { resetTimeout: 50 })
    await stage.fire(circuit, 'fail')
    await stage.advance(45)
    stage.look(circuit)
    await stage.advance(5)
    stage.look(circuit)
  })

  alike(
    'one success closes, and others are refused meanwhile',
    [['close'], ['halfOpen', 50]],
    async stage => {
      const circuit = stage.circuit(async (ms: number) => (ms > 0 ? delay(ms) : act('fail')), {
        resetTimeout: 50,
      })
      await stage.fire(circuit, 0)
      await stage.advance(50)
      const trial = stage.fire(circuit, 10)
      stage.look(circuit)
      await stage.fire(circuit, 10)
      await stage.advance(10)
      await trial
      stage.log.push(circuit.closed)
    },
  )

  alike('one failure opens, five times in a row', [['!', 'Error: down']], async stage => {
    const circuit = stage.circuit(act, { resetTimeout: 50 })
    await stage.fire(circuit, 'fail')
    for (let round = 0; round < 5; round++) {
      await stage.advance(50)
      await stage.fire(circuit, 'fail')
      await stage.fire(circuit, 1)
      stage.look(circuit)
    }
    await stage.advance(50)
    await stage.fire(circuit, 1)
    stage.log.push(circuit.closed)
  })

  alike('open() by hand starts the wait anew', [['open']], async stage => {
    const circuit = stage.circuit(act, { resetTimeout: 50 })
    circuit.open()
    await stage.advance(50)
    stage.look(circuit)
    circuit.open()
    await stage.advance(45)
    await stage.fire(circuit, 1)
    stage.look(circuit)
    await stage.advance(5)
    stage.look(circuit)
  })
})
