/** Scenarios that opossum 9.0.0 and busbar play alike: caches and coalescing. */
import { describe } from 'vitest'
import { act, alike, delay } from './support.ts'

describe('cache', () => {
  alike(
    'gives results again by argument, also while open',
    [['cacheHit'], ['cacheMiss']],
    async stage => {
      let calls = 0
      const circuit = stage.circuit(
        async (x: unknown) => (x === undefined ? x : act(x === 'fail' ? x : ++calls)),
        { cache: true },
      )
      for (const args of [[1], [1], [2], [], [], ['fail']]) await stage.fire(circuit, ...args)
      circuit.open()
      await stage.settle()
      await stage.fire(circuit, 1)
      circuit.clearCache()
      await stage.fire(circuit, 1)
      stage.look(circuit)
    },
  )

  alike('for cacheTTL, by cacheGetKey, and so many at the most', [['=', 2]], async stage => {
    let calls = 0
    const count = async () => ++calls
    const timed = stage.circuit(count, { cache: true, cacheTTL: 30, cacheGetKey: () => 'one' })
    await stage.fire(timed, 1)
    await stage.advance(25)
    await stage.fire(timed, 2)
    await stage.advance(10)
    await stage.fire(timed, 1)
    const small = stage.circuit(async () => ++calls, { cache: true, cacheSize: 2 })
    for (const key of [1, 2, 3, 1, 3]) await stage.fire(small, key)
  })

  alike('in a transport of its own', [['cacheHit'], ['flush']], async stage => {
    const map = new Map<string, unknown>()
    const cacheTransport = {
      get: (key: string) => map.get(key),
      set(key: string, value: unknown, expiresAt: number) {
        stage.log.push(['set', key, expiresAt - Date.now()])
        map.set(key, value)
      },
      flush: () => stage.log.push(['flush']),
    }
    const circuit = stage.circuit(act, { cache: true, cacheTTL: 500, cacheTransport })
    for (const key of [1, 1, 2]) await stage.fire(circuit, key)
    circuit.clearCache()
  })
})

describe('coalescing', () => {
  alike(
    'makes calls with the same arguments once',
    [['coalesceCacheHit'], ['coalesceCacheMiss']],
    async stage => {
      let calls = 0
      const circuit = stage.circuit(
        async (x: unknown) => {
          const call = ++calls
          await delay(10)
          return act(x === 'fail' ? x : call)
        },
        { coalesce: true, coalesceTTL: 50 },
      )
      const play = async (...keys: unknown[]) => {
        const answers = keys.map(key => stage.fire(circuit, key))
        await stage.advance(10)
        await Promise.all(answers)
      }
      await play(1, 1, 2)
      await play(1)
      await play('fail', 'fail')
      await play('fail')
      await stage.advance(50)
      await play(1)
      circuit.clearCache()
      await play(1)
      stage.look(circuit)
    },
  )

  for (const coalesceResetOn of [
    ['success'],
    ['error'],
    ['timeout'],
    ['error', 'success', 'timeout'],
  ] as const) {
    alike(`forgets after ${coalesceResetOn}`, [['coalesceCacheMiss']], async stage => {
      let calls = 0
      const action = async (x: unknown) => {
        calls++
        return x === 'hang' ? delay(99) : act(x === 'fail' ? x : calls)
      }
      const circuit = stage.circuit(action, {
        coalesce: true,
        coalesceResetOn,
        timeout: 20,
        coalesceTTL: 9_000,
        errorThresholdPercentage: 99,
      })
      for (const key of [1, 1, 'fail', 'fail', 'hang', 'hang']) {
        const answer = stage.fire(circuit, key)
        await stage.advance(20)
        await answer
      }
    })
  }

  alike(
    'stands behind the cache, shares fallbacks, and forgets refusals',
    [['fallback', 'fallen', 'Error: down']],
    async stage => {
      let calls = 0
      const cached = stage.circuit(async () => delay(10, ++calls), { coalesce: true, cache: true })
      const answers = [stage.fire(cached), stage.fire(cached)]
      await stage.advance(10)
      await Promise.all(answers)
      await stage.fire(cached)
      const failing = stage.circuit(act, { coalesce: true, volumeThreshold: 9 })
      failing.fallback(() => 'fallen')
      await Promise.all([stage.fire(failing, 'fail'), stage.fire(failing, 'fail')])
      await stage.fire(failing, 'fail')
      const opened = stage.circuit(async () => 'made', { coalesce: true })
      opened.open()
      await stage.settle()
      await stage.fire(opened)
      opened.close()
      await stage.settle()
      await stage.fire(opened)
    },
  )
})
