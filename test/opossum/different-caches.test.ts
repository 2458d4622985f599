/** Where opossum 9.0.0 and busbar differ about caches. */
import { describe } from 'vitest'
import { act, differ } from './support.ts'

describe('cache transports', () => {
  differ('may answer with promises', { opossum: [undefined, 0], busbar: [1, 1] }, async stage => {
    const map = new Map<string, unknown>()
    const cacheTransport = {
      get: async (key: string) => map.get(key),
      set: async (key: string, value: unknown) => map.set(key, value),
      flush: async () => map.clear(),
    }
    let calls = 0
    const circuit = stage.circuit(async () => ++calls, { cache: true, cacheTransport })
    await stage.fire(circuit, 1)
    return [await stage.fire(circuit, 1), calls] as unknown[]
  })

  differ(
    'are given results, not promises of them',
    { opossum: 'object', busbar: 'number' },
    async stage => {
      let given: unknown
      const set = (_key: string, value: unknown) => {
        given = value
      }
      const cacheTransport = { get: () => undefined, set, flush() {} }
      await stage.circuit(act, { cache: true, cacheTransport }).fire(1)
      return typeof given
    },
  )
})
