/**
 * The built package from within. A core is what one thread has of one breaker, and it is told its
 * slot: so one thread can sit in many slots, one after the other, with the code that ships.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const DIST = new URL('../../dist/', import.meta.url)

/** The parts of the package that the benchmarks use; `dist`: a folder's URL, ending in a slash. */
export async function openPackage(dist = DIST) {
  const part = file => import(new URL(file, dist).href)
  const { createRegion, attachRegion } = await part('memory/region.js')
  const { readRegistryOptions } = await part('options/registry.js')
  const { encodeName } = await part('options/breaker.js')
  const { STATE_NAMES, generationOf, stateOf } = await part('memory/words/state.js')
  const { Core } = await part('protocol/breaker.js')
  const { shardOf } = await part('protocol/cell.js')
  const { Directory, cellOf } = await part('protocol/directory.js')
  const { claimSlot } = await part('protocol/slots.js')
  return {
    atomics: await part('memory/atomics.js'),
    layout: await part('memory/layout.js'),
    windows: {
      time: (await part('protocol/window-time.js')).TimeWindow,
      count: (await part('protocol/window-count.js')).CountWindow,
    },
    ...{ createRegion, attachRegion, readRegistryOptions, encodeName },
    ...{ STATE_NAMES, generationOf, stateOf },
    ...{ Core, shardOf, Directory, cellOf, claimSlot },
  }
}

/**
 * A copy of the package with another door to shared memory in place of `#atomics`.
 *
 * @param {(verbs: string[]) => string} doorSource   the new door's text, given the old one's exports
 */
export async function openWithDoor(doorSource) {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-bench-'))
  try {
    cpSync(fileURLToPath(DIST), join(folder, 'dist'), { recursive: true })
    const { atomics } = await openPackage()
    const imports = { '#atomics': './door.mjs' }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', imports }))
    const door = join(folder, 'door.mjs')
    writeFileSync(door, doorSource(Object.keys(atomics)))
    const copy = await openPackage(pathToFileURL(join(folder, 'dist/')))
    return { ...copy, atomics: await import(pathToFileURL(door).href) }
  } finally {
    // Loaded modules need their files no more.
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A region of its own with `breakers` breakers of the same options and `slots` slots taken, by
 * thread numbers that are made up. No registry: nobody has joined it.
 *
 * @param {Awaited<ReturnType<typeof openPackage>>} parts
 * @param {object} wanted
 * @param {number} wanted.slots
 * @param {number} [wanted.breakers]
 * @param {number} [wanted.maxThreads]
 * @param {import('busbar').RegistryOptions} [wanted.time]   its clock or keeper; none is started
 * @param {import('busbar').SharedOptions} wanted.options
 * @returns {{ region: any, breakers: any[][] }}   breakers[b][s]: breaker b's core in slot s + 1
 */
export function takeSlots(parts, wanted) {
  const { slots, breakers = 1, maxThreads = Math.max(64, slots), options: defaults } = wanted
  const { time = { clock: 'manual' } } = wanted
  const options = { maxBreakers: breakers, maxThreads, defaults, ...time }
  const region = parts.createRegion(parts.readRegistryOptions(options))
  for (let slot = 1; slot <= slots; slot++) {
    const taken = parts.claimSlot(region.memory, region.shape, { thread: slot, parent: 0 })
    if (taken !== slot) throw new Error(`slot ${taken} was claimed where ${slot} is the next`)
  }
  // Each thread has its own view of the region, and its own clock in it.
  const views = Array.from({ length: slots }, () => parts.attachRegion(region.handle))
  const directory = new parts.Directory(region, { thread: 1, parent: 0 })
  const made = Array.from({ length: breakers }, (_, index) => {
    const name = `breaker-${index}`
    const entry = directory.make({
      name,
      bytes: parts.encodeName(name),
      numbers: region.defaults,
    })
    return views.map((view, index) => {
      const cell = parts.cellOf(view, entry, { thread: index, parent: 0 })
      return new parts.Core(cell, index + 1)
    })
  })
  return { region, breakers: made }
}

/** @returns {string} the name of the state that a core's breaker is in */
export function stateOfCore(parts, core) {
  const { memory, state } = core.cell
  return parts.STATE_NAMES[parts.stateOf(parts.atomics.load(memory, state))]
}
