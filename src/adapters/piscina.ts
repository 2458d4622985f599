/**
 * `busbar/piscina` (tested with piscina 5.3): gives the workers of a pool a registry. Nothing else
 * is missing: who makes the pool has the registry open before there are workers, so it sees each of
 * them end, however it ends, and gives back what it held.
 */
import { workerData } from 'node:worker_threads'
import { NoRegistryError } from '../errors.ts'
import { attachRegistry } from '../make-registry.ts'
import type { RegistryHandle } from '../memory/handle.ts'
import type { Registry } from '../registry.ts'

/** What `poolRegistry` looks for in a worker's `workerData`. */
export interface PoolData {
  readonly busbar: RegistryHandle
}

/**
 * For the `workerData` of a pool whose workers are to have `registry`: by itself, or spread among
 * what else they are to be given.
 *
 * Keep `registry` open until the pool is destroyed, else what its workers hold stays taken. Let it
 * have room for twice as many threads as the pool: a worker may end after its successor has begun.
 *
 * @throws NoRegistryError when it is closed
 */
export function poolData(registry: Registry): PoolData {
  if (registry.closed) throw new NoRegistryError('the registry of a pool must be open')
  return { busbar: registry.handle }
}

let own: Registry | undefined

/**
 * In a worker of such a pool: its registry, one for the whole thread. It need not be closed.
 *
 * @throws NoRegistryError elsewhere, RegionError
 */
export function poolRegistry(): Registry {
  if (own?.closed === false) return own
  const { busbar: handle }: Partial<PoolData> = Object(workerData)
  if (handle === undefined) {
    throw new NoRegistryError(
      'this thread has no registry of a pool: make the pool with `workerData: poolData(registry)`',
    )
  }
  own = attachRegistry(handle)
  return own
}
