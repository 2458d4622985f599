/** Scenarios that opossum 9.0.0 and busbar play alike: state, names and counts. */
import { EventEmitter } from 'node:events'
import { describe } from 'vitest'
import { act, alike, delay } from './support.ts'

describe('state and counts', () => {
  alike('names and groups', ['act', 'group'], async stage => {
    const circuit = stage.circuit(act)
    stage.log.push(circuit.name, circuit.group)
    const named = stage.circuit(async () => 1, { name: 'named', group: 'group' })
    stage.log.push(named.name, named.group, stage.circuit('x' as never).name.length)
  })

  alike('latencies, mean and percentiles', [{ opened: false }], async stage => {
    const circuit = stage.circuit((ms: number) => delay(ms))
    const unmeasured = stage.circuit(async (ms: number) => delay(ms), {
      rollingPercentilesEnabled: false,
    })
    const calls = [20, 5, 10, 30].flatMap(ms => [
      stage.fire(circuit, ms),
      stage.fire(unmeasured, ms),
    ])
    await stage.advance(30)
    await Promise.all(calls)
    stage.look(circuit)
    stage.look(unmeasured)
    stage.log.push({ opened: circuit.opened })
  })

  alike('the window rolls, and is told of once a bucket', ['snapshot'], async stage => {
    const circuit = stage.circuit(act, { rollingCountTimeout: 100, rollingCountBuckets: 4 })
    circuit.status.on('snapshot', stats => stage.log.push('snapshot', stats.fires))
    for (let step = 0; step < 12; step++) {
      await stage.fire(circuit, step)
      await stage.advance(15)
      stage.log.push(
        circuit.status.window.map(bucket => bucket.fires),
        structuredClone(circuit.status.window[0]),
      )
    }
  })

  alike('the window may be rolled by hand', [[0, 1, 0, 0]], async stage => {
    const rotateBucketController = new EventEmitter()
    const options = { rollingCountTimeout: 100, rollingCountBuckets: 4, rotateBucketController }
    const circuit = stage.circuit(act, { ...options, enableSnapshots: false })
    circuit.status.on('snapshot', () => stage.log.push('snapshot'))
    await stage.fire(circuit, 1)
    await stage.advance(200)
    rotateBucketController.emit('rotate')
    stage.log.push(circuit.status.window.map(bucket => bucket.fires))
    circuit.shutdown()
    stage.log.push(rotateBucketController.listenerCount('rotate'))
  })

  alike('counts may be gone on with', [5], async stage => {
    const Class = stage.circuit(act)
      .constructor as typeof import('../../src/opossum/opossum.ts').CircuitBreaker
    const status = Class.newStatus({ stats: { failures: 3, fires: 5, latencyTimes: [7] } })
    stage.log.push(status.stats.fires, status.window.length)
    const circuit = stage.circuit(async () => 1, { status })
    await stage.fire(circuit)
    stage.log.push(circuit.status === status, circuit.stats.fires, circuit.stats.successes)
  })

  alike(
    'toJSON() restores what is open, half-open, disabled or shut down',
    ['restored'],
    async stage => {
      const circuit = stage.circuit(act, { resetTimeout: 100, name: 'original' })
      const restore = async (name: string) => {
        const { lastTimerAt, ...state } = circuit.toJSON().state
        stage.log.push(state)
        // When it is not open the time is nobody's business.
        if (state.open) stage.log.push(lastTimerAt)
        const restored = stage.circuit(act, {
          state: { ...state, lastTimerAt },
          name,
          resetTimeout: 100,
        })
        stage.look(restored)
        await stage.fire(restored, 'fail')
        stage.look(restored)
      }
      await restore('closed')
      circuit.open()
      await stage.settle()
      await restore('opened')
      await stage.advance(100)
      await restore('half-open')
      circuit.close()
      await stage.settle()
      circuit.disable()
      await restore('disabled')
      circuit.shutdown()
      await restore('shut down')
      stage.log.push('restored')
    },
  )
})
