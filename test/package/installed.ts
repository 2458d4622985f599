/** The package as a user gets it: packed, and installed in an empty folder. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const execute = promisify(execFile)
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CONSUMER = fileURLToPath(new URL('consumer', import.meta.url))

export interface Installed {
  /** The user's folder, with the scripts of test/package/consumer in it. */
  readonly folder: string
  /** node_modules/busbar in it. */
  readonly home: string
  /** Every file of the tarball, relative to `home`. */
  readonly files: readonly string[]
  readonly packedBytes: number
  remove(): void
}

/**
 * Packs without scripts: `prepack` would empty dist/ under the other tests' feet, and vitest's
 * global setup has built it already.
 */
export async function installPackage(): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-package-'))
  const { stdout } = await execute(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    { cwd: ROOT },
  )
  const [packed] = JSON.parse(stdout) as Packed[]
  if (packed === undefined) throw new Error('npm pack made nothing')
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  await execute(
    'npm',
    ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename)],
    { cwd: folder },
  )
  // An optional peer, as its users have it.
  const peer = 'node_modules/cockatiel'
  symlinkSync(join(ROOT, peer), join(folder, peer), 'junction')
  for (const name of readdirSync(CONSUMER)) cpSync(join(CONSUMER, name), join(folder, name))
  return {
    folder,
    home: join(folder, 'node_modules/busbar'),
    files: packed.files.map(file => file.path),
    packedBytes: packed.size,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** Runs `node` on a file of the folder. Rejects unless the process ends by itself with code 0. */
export async function run(
  node: string,
  folder: string,
  args: readonly string[],
): Promise<{ stdout: string; stderr: string }> {
  // NODE_OPTIONS and vitest's own variables are no part of a user's environment.
  const { NODE_OPTIONS: _options, VITEST: _vitest, ...env } = process.env
  return execute(node, args, { cwd: folder, timeout: 25_000, env })
}
