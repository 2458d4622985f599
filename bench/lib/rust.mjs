/** bench/rust/seed.rs, compiled into a temporary directory where there is a Rust compiler. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const SOURCE = fileURLToPath(new URL('../rust/seed.rs', import.meta.url))
const COMPILE_LIMIT_MS = 120_000
/** Beyond what a run is to take. */
const RUN_LIMIT_MS = 30_000

/**
 * @returns {Promise<{ problem: string } | {
 *   version: string
 *   measure(mode: string, threads: number, ms: number): Promise<number>
 *   remove(): Promise<void>
 * }>} `measure`: nanoseconds for each operation of a thread
 */
export async function compileSeed() {
  const directory = await mkdtemp(join(tmpdir(), 'busbar-seed-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  const program = join(directory, 'seed')
  try {
    const { stdout } = await run('rustc', ['--version'], { timeout: RUN_LIMIT_MS })
    await run('rustc', ['-O', SOURCE, '-o', program], { timeout: COMPILE_LIMIT_MS })
    return { version: stdout.trim(), measure: measuring(program), remove }
  } catch (error) {
    await remove()
    return { problem: error.code === 'ENOENT' ? 'there is no rustc' : firstLineOf(error) }
  }
}

function measuring(program) {
  return async (mode, threads, ms) => {
    const timeout = RUN_LIMIT_MS + ms
    const args = [mode, threads, Math.round(ms)].map(String)
    const { stdout } = await run(program, args, { timeout })
    const { operations, nanoseconds } = JSON.parse(stdout)
    if (!(operations > 0)) throw new Error(`seed ${mode}: ${stdout}`)
    return nanoseconds / operations
  }
}

function firstLineOf(error) {
  const text = String(error.stderr || error.message).trim()
  return text.split('\n')[0]
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
