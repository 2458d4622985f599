/**
 * The core calls of a breaker that all threads share, as fast as each thread can make them. Input:
 * `{ handle, breaker }`, a registry's handle and the breaker's name. The batches sum up to the
 * calls that came out as they must.
 */
import { attachRegistry, REFUSED } from 'busbar'

function attach({ handle, breaker }) {
  const registry = attachRegistry(handle)
  return { registry, breaker: registry.breaker(breaker) }
}

function settling({ input }) {
  const { registry, breaker } = attach(input)
  return {
    batch(times) {
      let permitted = 0
      for (let i = 0; i < times; i++) {
        const permit = breaker.tryAcquire()
        if (permit === REFUSED) continue
        breaker.recordSuccess(permit)
        permitted++
      }
      return permitted
    },
    finish: () => registry.close(),
  }
}

function asking({ input }) {
  const { registry, breaker } = attach(input)
  return {
    batch(times) {
      let refused = 0
      for (let i = 0; i < times; i++) if (breaker.tryAcquire() === REFUSED) refused++
      return refused
    },
    finish: () => registry.close(),
  }
}

export const jobs = { 'permit + success': settling, refusal: asking }
