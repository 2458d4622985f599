/**
 * What an adapter adds to a program that has busbar already, minified and gzipped: its own files.
 * What adapters share (an attempt, options and verdicts of HTTP) comes once, and is printed.
 */
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Rolldown } from 'vite'
import { expect, it } from 'vitest'

const ADAPTERS = fileURLToPath(new URL('../../src/adapters/', import.meta.url))
const MAX_BYTES = 2048

async function sizeOf(name: string, isInside: (path: string) => boolean): Promise<number> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: true,
      target: 'node20',
      lib: { entry: `${ADAPTERS}${name}.ts`, formats: ['es'] },
      rolldownOptions: {
        external: (id, importer) =>
          importer !== undefined && !isInside(new URL(id, `file://${importer}`).pathname),
      },
    },
  })) as Rolldown.RolldownOutput[]
  const code = built.flatMap(({ output }) =>
    output.map(chunk => (chunk.type === 'chunk' ? chunk.code : '')),
  )
  return gzipSync(code.join('')).length
}

it.each(['fetch', 'undici', 'axios', 'grpc', 'fastify', 'piscina'])('%s', async name => {
  const own = (path: string) => /^[./]/.test(path.slice(`${ADAPTERS}${name}`.length))
  const bytes = await sizeOf(name, path => path.startsWith(`${ADAPTERS}${name}`) && own(path))
  const all = await sizeOf(name, path => path.startsWith(ADAPTERS))
  console.log(`busbar/${name}: ${bytes} bytes, ${all} with what adapters share`)
  expect(bytes).toBeLessThan(MAX_BYTES)
})
