/**
 * `npm run layout` writes native-layout/ anew from src/memory/; with `--check` it writes nothing.
 * Ends with code 1 when what is there is not what would be written, or the layout has changed and
 * its version has not.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const folder = mkdtempSync(join(tmpdir(), 'busbar-layout-'))
try {
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    build: {
      ssr: join(ROOT, 'scripts/layout/generate.ts'),
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'generate.mjs' } },
    },
  })
  const { problems, write } = await import(pathToFileURL(join(folder, 'generate.mjs')).href)
  if (!process.argv.includes('--check'))
    for (const path of write(ROOT)) console.log(`wrote ${path}`)
  for (const problem of problems(ROOT)) {
    console.error(problem)
    process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
