/** Registries as the benchmarks use them: with the keeper at work, or without one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createRegistry } from 'busbar'

const LIMIT_MS = 5000
const DEFAULT_MAX_BREAKERS = 256

/**
 * A registry whose keeper, if it is to have one, has started. It has one breaker of its own.
 *
 * @param {boolean} keeper
 * @param {import('busbar').RegistryOptions} [options]
 */
export async function registryWith(keeper, options) {
  const maxBreakers = (options?.maxBreakers ?? DEFAULT_MAX_BREAKERS) + 1
  const registry = createRegistry({ ...options, maxBreakers, keeper })
  if (keeper) await started(registry)
  return registry
}

/** A keeper that has just started ticks for a while, then sleeps: it is awake when first used. */
async function started(registry) {
  const breaker = registry.breaker('busbar:warm-up')
  breaker.open()
  const until = performance.now() + LIMIT_MS
  for (let wakes = 0; wakes < 2; ) {
    // Refusals in quick succession are what wakes it.
    for (let call = 0; call < 1000; call++) breaker.tryAcquire()
    if (registry.snapshot().keeper === 'awake') wakes++
    if (performance.now() > until) throw new Error('the keeper does not start')
    await sleep(10)
  }
}
