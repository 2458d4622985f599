import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Builds dist/ once: worker threads, the examples and the package tests run what users get. */
export default function build(): void {
  execFileSync('npm', ['run', '--silent', 'build'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
  })
}
