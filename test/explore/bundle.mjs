/** Bundles test/explore/main.ts with the explorer's door, and a mutant's patch where there is one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A patch replaces text that stands in a file exactly once. */
function patching(patch) {
  return {
    name: 'patch',
    transform: {
      order: 'pre',
      handler(code, id) {
        if (!id.endsWith(patch.file)) return undefined
        let patched = code
        for (const [from, to] of patch.replace) {
          if (patched.split(from).length !== 2) {
            throw new Error(`${patch.name}: this stands not once in ${patch.file}:\n${from}`)
          }
          patched = patched.replace(from, () => to)
        }
        return { code: patched, map: null }
      },
    },
  }
}

export async function buildExplorer(patch) {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-explore-'))
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    resolve: { alias: { '#atomics': join(ROOT, 'test/explore/door.ts') } },
    plugins: patch === undefined ? [] : [patching(patch)],
    build: {
      ssr: join(ROOT, 'test/explore/main.ts'),
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      sourcemap: patch === undefined,
      target: 'node20',
    },
  })
  return {
    file: join(folder, 'main.js'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
