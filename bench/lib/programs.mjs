/** Programs in Rust and in C, compiled into a temporary directory where there is a compiler. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const COMPILE_LIMIT_MS = 120_000
/** Beyond what a run is to take. */
const RUN_LIMIT_MS = 30_000

/**
 * @typedef {{ problem: string } | {
 *   version: string
 *   folder: string   a temporary one, for what the program reads
 *   measure(...words: (string | number)[]): Promise<number>
 *   remove(): Promise<void>
 * }} Compiled   `measure`: runs it with these words, the last of which are the number of threads and
 *   milliseconds; nanoseconds for each operation of a thread
 */

/** The breaker in Rust. @returns {Promise<Compiled>} */
export function compileSeed() {
  return compile('rustc', ['-O'], 'rust/seed.rs')
}

/** The calls of busbar.h. @returns {Promise<Compiled>} */
export function compileNative() {
  return compile('cc', ['-O2', '-std=gnu11', '-pthread'], 'native/native.c')
}

async function compile(compiler, flags, source) {
  const folder = await mkdtemp(join(tmpdir(), 'busbar-bench-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const program = join(folder, 'program')
  const path = fileURLToPath(new URL(`../${source}`, import.meta.url))
  try {
    const { stdout } = await run(compiler, ['--version'], { timeout: RUN_LIMIT_MS })
    await run(compiler, [...flags, path, '-o', program], { timeout: COMPILE_LIMIT_MS })
    return { version: firstLineOf(stdout), folder, measure: measuring(program), remove }
  } catch (error) {
    await remove()
    const isMissing = error.code === 'ENOENT'
    return {
      problem: isMissing ? `there is no ${compiler}` : firstLineOf(error.stderr || error.message),
    }
  }
}

function measuring(program) {
  return async (...words) => {
    const timeout = RUN_LIMIT_MS + Number(words.at(-1))
    const { stdout } = await run(program, words.map(String), { timeout })
    const { operations, nanoseconds } = JSON.parse(stdout)
    if (!(operations > 0)) throw new Error(`${program} ${words.join(' ')}: ${stdout}`)
    return nanoseconds / operations
  }
}

function firstLineOf(text) {
  return String(text).trim().split('\n')[0]
}

/** Whether a Java machine is at hand. */
export async function hasJava() {
  try {
    await run('java', ['-version'], { timeout: RUN_LIMIT_MS })
    return true
  } catch {
    return false
  }
}
