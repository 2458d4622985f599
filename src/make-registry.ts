/** Registries: make one, attach to one. */
import { isMainThread } from 'node:worker_threads'
import { InvalidOptionError } from './errors.ts'
import type { RegistryHandle } from './memory/handle.ts'
import { attachRegion, createRegion, type Region } from './memory/region.ts'
import { NO_LOCAL, type ResolvedLocal } from './options/breaker.ts'
import { type ResolvedRegistry, readRegistryOptions } from './options/registry.ts'
import type { RegistryOptions } from './options/types.ts'
import { Registry } from './registry.ts'
import { startKeeper } from './threads/keeper-start.ts'
import { readImport } from './warm-start/read.ts'
import { warmStartHandle } from './warm-start/waiting.ts'

/** Makes a region of its own. @throws InvalidOptionError */
export function createRegistry(options?: RegistryOptions): Registry {
  const resolved = readRegistryOptions(options)
  return new Registry(makeRegion(resolved), resolved.local)
}

/** The region, and its keeper if it is to have one. */
export function makeRegion(options: ResolvedRegistry): Region {
  if (options.tickMs > 0 && !isMainThread) {
    throw new InvalidOptionError('options.keeper', true, 'false: only the main thread starts one')
  }
  const imported = readImport('options.import', options.imported)
  const region = createRegion(options, warmStartHandle(imported))
  if (options.tickMs > 0) startKeeper(region)
  return region
}

/** This thread's registry on the region that `handle` names. @throws RegionError */
export function attachRegistry(handle: RegistryHandle): Registry {
  const region = attachRegion(handle)
  return new Registry(region, localOf(region))
}

/** The local defaults that travel: numbers do, functions cannot. */
export function localOf(region: Region): ResolvedLocal {
  return { ...NO_LOCAL, timeoutMs: region.defaultTimeoutMs }
}
