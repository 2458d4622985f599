// Keeps a registry's states in a file, and starts a registry from it.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { getRegistry, InvalidOptionError } from 'busbar'

/** Beside the states stands when they were written, by the clock on the wall: for their age. */
export function keep(registry, path) {
  const text = JSON.stringify({ writtenAt: Date.now(), states: registry.export() })
  // Renamed when it is whole: whoever is killed while writing leaves the last one as it was.
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

/** The process's registry, warm where the file can be used, else cold. */
export function startFrom(path) {
  try {
    const { writtenAt, states } = JSON.parse(readFileSync(path, 'utf8'))
    const ageMs = Math.max(0, Date.now() - writtenAt)
    return getRegistry({ import: { ...states, ageMs } })
  } catch (error) {
    const isUsual = error.code === 'ENOENT'
    const isNone = error instanceof SyntaxError || error instanceof InvalidOptionError
    if (!(isUsual || isNone)) throw error
    if (isNone) console.error(`starting cold: ${error.message}`)
    return getRegistry()
  }
}
