/** The process's registry: one for all threads, found without passing anything around. */
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { NoRegistryError } from './errors.ts'
import { localOf, makeRegion } from './make-registry.ts'
import { LAYOUT_VERSION } from './memory/layout.ts'
import { attachRegion, type Region } from './memory/region.ts'
import type { ResolvedLocal } from './options/breaker.ts'
import {
  type ResolvedRegistry,
  readRegistryOptions,
  readSameRegistryOptions,
  requireSameFunctions,
} from './options/registry.ts'
import type { RegistryOptions } from './options/types.ts'
import { Registry } from './registry.ts'
import { requireSameImport } from './warm-start/waiting.ts'

const REGISTRY_KEY = `busbar.registry.${LAYOUT_VERSION}`
let own: { region: Region; registry: Registry; local: ResolvedLocal } | undefined

/**
 * The process's registry: made by the first call on the main thread, found by every worker that is
 * started afterwards, nested ones and pools' workers too. Options given where it exists already
 * must say what it was made with.
 *
 * @throws NoRegistryError in a worker that has none, InvalidOptionError, OptionsMismatchError
 */
export function getRegistry(options?: RegistryOptions): Registry {
  const region = own?.region ?? findRegion(options)
  const made = own?.registry.closed === false ? own : undefined
  const { local, imported } = readSameRegistryOptions(options, madeWith(region, made?.local))
  if (imported !== undefined) requireSameImport(region.warmStart, imported)
  if (made === undefined) {
    own = { region, local, registry: new Registry(region, local) }
    return own.registry
  }
  requireSameFunctions(made.local, local)
  return made.registry
}

function findRegion(options: RegistryOptions | undefined): Region {
  const handle = getEnvironmentData(REGISTRY_KEY)
  if (handle !== undefined) return attachRegion(handle)
  if (!isMainThread) {
    throw new NoRegistryError(
      'this worker has no registry: call getRegistry() on the main thread before the worker is ' +
        'started, or pass `registry.handle` in workerData and call attachRegistry(handle)',
    )
  }
  const region = makeRegion(readRegistryOptions(options))
  setEnvironmentData(REGISTRY_KEY, region.handle)
  return region
}

function madeWith(region: Region, local = localOf(region)): ResolvedRegistry {
  const { maxBreakers, maxControls, maxThreads } = region.shape
  const { manualClock, tickMs, defaults, optionSets } = region
  const kernel = region.kernelMemory === undefined ? 'js' : 'wasm'
  const limits = { maxBreakers, maxControls, maxThreads }
  const beside = { optionSets, imported: undefined }
  return { ...limits, manualClock, tickMs, kernel, defaults, local, ...beside }
}
