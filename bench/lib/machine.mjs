/** On what the figures were measured. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cpus, loadavg, totalmem } from 'node:os'

const require = createRequire(import.meta.url)
const BYTES_A_GIB = 2 ** 30
const PACKAGES = ['busbar', 'opossum', 'cockatiel']

function versionOf(name) {
  try {
    return JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')).version
  } catch {
    return 'not installed'
  }
}

export function readMachine() {
  const cores = cpus()
  return {
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGiB: Math.round((totalmem() / BYTES_A_GIB) * 10) / 10,
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    v8: process.versions.v8,
    packages: Object.fromEntries(PACKAGES.map(name => [name, versionOf(name)])),
  }
}

/** Processes that ran or waited to, on average: the last minute, five, fifteen. */
export function readLoad() {
  return loadavg().map(load => Math.round(load * 100) / 100)
}
