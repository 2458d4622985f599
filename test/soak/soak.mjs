/**
 * npm run soak: chaos for two minutes (`--seconds n` for another time, `--seed n` to repeat one,
 * `--kernel wasm` for the other kernel) on the built package. Prints a line every five seconds and, at the end, what was survived.
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as busbar from 'busbar'
import { runnerImport } from 'vite'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    kernel: { type: 'string', default: 'js' },
  },
})
const main = fileURLToPath(new URL('main.ts', import.meta.url))
const { module } = await runnerImport(main)
const { seconds, seed, kernel } = values
const survived = await module.soak(busbar, Number(seconds), Number(seed), kernel)
process.exit(survived ? 0 : 1)
