/**
 * The Node.js binaries on which the package is checked: the one that runs the tests, and those that
 * test/package/nodes/package.json names. These are npm packages for linux-x64, in a private package
 * with a lock file of its own: as devDependencies they would break `npm ci` everywhere else, and as
 * optionalDependencies of busbar every user would download them.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const HOME = new URL('nodes/', import.meta.url)

export interface NodeBinary {
  /** As in `process.version`, without the v. */
  readonly version: string
  readonly path: string
}

export interface Nodes {
  readonly found: readonly NodeBinary[]
  /** Versions that are named but not installed. */
  readonly missing: readonly string[]
  /** Whether the missing ones could be here, and so must be where CI runs. */
  readonly obtainable: boolean
}

export function findNodes(): Nodes {
  const found = [{ version: process.versions.node, path: process.execPath }]
  const missing: string[] = []
  for (const [name, version] of namedNodes()) {
    const { pathname: path } = new URL(`node_modules/${name}/bin/node`, HOME)
    if (existsSync(path)) found.push({ version, path })
    else missing.push(version)
  }
  return { found, missing, obtainable: process.platform === 'linux' && process.arch === 'x64' }
}

function namedNodes(): [string, string][] {
  const text = readFileSync(new URL('package.json', HOME), 'utf8')
  const { optionalDependencies } = JSON.parse(text) as {
    optionalDependencies: Record<string, string>
  }
  return Object.entries(optionalDependencies).map(([name, spec]) => [
    name,
    spec.replace(/^.*@/, ''),
  ])
}

/** What the binary itself says it is. */
export function versionOf(node: NodeBinary): string {
  return execFileSync(node.path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).trim()
}

/** One plain sentence on what was run and what was not, for the log. */
export function describeNodes({ found, missing, obtainable }: Nodes): string {
  const run = `package checked on Node ${found.map(node => node.version).join(', ')}`
  if (missing.length === 0) return run
  const remedy = obtainable
    ? 'run: npm ci --prefix test/package/nodes'
    : `binaries come for linux-x64 only, this is ${process.platform}-${process.arch}`
  return `${run}; NOT checked on Node ${missing.join(', ')} (${remedy})`
}
