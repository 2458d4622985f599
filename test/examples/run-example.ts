// Runs an example, or a script of these tests, as a user would: in a process of its own.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Resolves with what it printed; rejects when it does not end by itself, with code 0, in time. */
export async function runScript(path: string, args: string[] = []): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], {
    cwd: root,
    timeout: 25_000,
  })
  return stdout
}
