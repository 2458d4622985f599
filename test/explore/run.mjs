/**
 * Builds the explorer with its own door behind `#atomics` and runs it: the sources themselves, not
 * dist/, with not a line of them changed. Arguments are passed on to main.ts.
 */
import { spawnSync } from 'node:child_process'
import { buildExplorer } from './bundle.mjs'

const { file, remove } = await buildExplorer()
const args = ['--enable-source-maps', '--stack-size=4000', file, ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
remove()
process.exit(status ?? 1)
