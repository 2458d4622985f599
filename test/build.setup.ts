import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** When the newest file below `folder` was written; 0 when there is none. */
function newestIn(folder: string): number {
  try {
    const files = readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' })
    return Math.max(0, ...files.map(file => statSync(`${ROOT}/${folder}/${file}`).mtimeMs))
  } catch {
    return 0
  }
}

/**
 * Builds dist/ once, unless it is newer than src/: worker threads, the examples and the package
 * tests run what users get.
 */
export default function build(): void {
  if (newestIn('dist') > newestIn('src')) return
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' })
}
