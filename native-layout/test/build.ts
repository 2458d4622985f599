/**
 * Builds the C of these tests with what the machine has: a plain compiler call, no build system.
 * What was built is kept by the hash of all that went into it, so nothing stale is ever run.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const LAYOUT = fileURLToPath(new URL('..', import.meta.url))
const ADDON = `${LAYOUT}test/addon/`
const require = createRequire(import.meta.url)
const NODE_API = join(dirname(require.resolve('node-api-headers')), 'include')
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/busbar-native/', import.meta.url))

export const WARNINGS = ['-Wall', '-Wextra', '-Werror', '-pedantic']
const C11 = ['-std=gnu11', ...WARNINGS]

/** Why something that needs a compiler was not tried; said by the test that is skipped. */
export interface Missing {
  readonly why: string
}

export interface Built {
  readonly path: string
}

/** Whether the machine has the command. */
export function has(command: string): boolean {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0
}

/** The C compiler that the machine offers, if any. */
export function findCompiler(): string | undefined {
  const named = process.env.CC ? [process.env.CC] : []
  return [...named, 'cc', 'gcc', 'clang'].find(has)
}

/** Why nothing can be built by that compiler here; undefined when it can. */
export function obstacleTo(compiler: string | undefined): string | undefined {
  const { platform } = process
  if (platform !== 'linux') return `no C client on ${platform}: busbar.h knows the clock of Linux`
  if (compiler === undefined) return 'no C compiler: none of $CC, cc, gcc, clang can be run'
  return has(compiler) ? undefined : `no C compiler: ${compiler} cannot be run`
}

/** Builds the addon. */
export function buildAddon(): Built | Missing {
  const compiler = findCompiler()
  const why = obstacleTo(compiler)
  if (why !== undefined || compiler === undefined) return { why: why ?? '' }
  const sources = readdirSync(ADDON).filter(name => name.endsWith('.c'))
  return build(compiler, 'addon.node', [
    ...C11,
    ...['-O2', '-shared', '-fPIC', '-pthread', '-I', NODE_API],
    ...sources.map(name => ADDON + name),
  ])
}

/** Whether a program links with these flags: sanitizers need libraries of their own. */
function canLink(compiler: string, flags: readonly string[]): boolean {
  const args = ['-x', 'c', ...flags, '-', '-o', '/dev/null']
  return spawnSync(compiler, args, { input: 'int main(void) { return 0; }' }).status === 0
}

/** Builds a program of this folder from its C files, with more flags, for example sanitizers. */
export function buildProgram(
  compiler: string | undefined,
  sources: readonly string[],
  flags: readonly string[] = [],
): Built | Missing {
  const why = obstacleTo(compiler)
  if (why !== undefined || compiler === undefined) return { why: why ?? '' }
  if (!canLink(compiler, flags)) return { why: `${compiler} cannot link with ${flags.join(' ')}` }
  const files = sources.map(name => `${LAYOUT}test/${name}`)
  return build(compiler, 'program', [...C11, '-g', '-pthread', ...flags, ...files, '-lm'])
}

/** Throws what the compiler says where the sources are wrong. */
function build(compiler: string, name: string, args: readonly string[]): Built {
  const version = execFileSync(compiler, ['--version'], { encoding: 'utf8' })
  const hash = createHash('sha256').update([version, ...args].join('\n'))
  for (const path of nativeFiles()) hash.update(path).update(readFileSync(path))
  const folder = `${CACHE}${hash.digest('hex').slice(0, 16)}/`
  const path = folder + name
  if (existsSync(path)) return { path }
  mkdirSync(folder, { recursive: true })
  // Other test files build the same at the same time: each its own, and the last one stays.
  const mine = `${path}.${process.pid}`
  run(compiler, [...args, '-o', mine])
  renameSync(mine, path)
  return { path }
}

/** Runs a command and throws all that it wrote when it fails. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const { status, signal, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 60_000,
  })
  if (status === 0) return stdout
  const end = error?.message ?? signal ?? `exit code ${status}`
  throw new Error(`${command} ${args.join(' ')}: ${end}\n${stdout}\n${stderr}`)
}

/** Every C file and header of this folder and of the client. */
export function nativeFiles(): string[] {
  const folders = ['', 'client/', 'test/', 'test/addon/']
  return folders.flatMap(folder =>
    readdirSync(LAYOUT + folder)
      .filter(name => /\.[ch]$/.test(name))
      .map(name => LAYOUT + folder + name),
  )
}
