/**
 * The same life of the interceptor in each version of undici, on the Node.js at hand and on those of
 * test/package/nodes, where undici 8 is too: it needs a newer one than the oldest that busbar runs on.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { findNodes } from '../../package/nodes.ts'

const SCENARIO = fileURLToPath(new URL('scenario.mjs', import.meta.url))
const { found, obtainable } = findNodes()

/** The versions' entry files, and the first Node.js that runs each. */
const LIBRARIES = [
  { undici: 6, home: '../../../node_modules/undici6', from: 20 },
  { undici: 7, home: '../../../node_modules/undici', from: 20 },
  { undici: 8, home: '../../package/nodes/node_modules/undici8', from: 22.19 },
]
  .map(library => ({
    ...library,
    path: fileURLToPath(new URL(`${library.home}/index.js`, import.meta.url)),
  }))
  .filter(({ path }) => existsSync(path))

const [atHand] = found
const node22 = found.find(({ version }) => version.startsWith('22.2'))
const node24 = found.find(({ version }) => version.startsWith('24.'))

/** Each fetch that is built into a Node.js, and each version of undici. */
const pairs = [
  ...LIBRARIES.map(library => ({ ...library, node: atHand })),
  ...LIBRARIES.map(library => ({ ...library, node: node24 })),
  ...LIBRARIES.slice(2).map(library => ({ ...library, node: node22 })),
].filter(({ node, from }) => node !== undefined && Number.parseFloat(node.version) >= from)

const EVERYWHERE = {
  abort: '20 ignored',
  success: '200 succeeded',
  notFound: '404 succeeded',
  timeout: '23 failed',
  fetch: '200 a=1,b=2 succeeded',
  broken: 'UND_ERR_SOCKET failed',
  upgrade: ' succeeded',
  retries: 'ERR_CIRCUIT_OPEN failed refused',
  retriedRequests: 2,
  refusedFetch: 'ERR_CIRCUIT_OPEN refused',
  client: 'ERR_INVALID_OPTION',
  builtInFetch: '200 a=1,b=2 succeeded',
  builtInFetchGlobally: '200 a=1,b=2 succeeded',
}

/**
 * Its compose() knows a Client's origin. Its dispatchers take no handlers of the old style, which
 * the fetch of Node 22 and 24 has, so they cannot be that one's `dispatcher`; made the global one,
 * they are, by a wrapper of undici's own.
 */
const IN_UNDICI_8 = {
  ...EVERYWHERE,
  client: '200 succeeded',
  builtInFetch: 'UND_ERR_INVALID_ARG ignored',
}

it('where CI runs on linux-x64, no version is left out', () => {
  const missing = [6, 7, 8].filter(major => !LIBRARIES.some(({ undici }) => undici === major))
  if (missing.length > 0) console.log(`NOT tested with undici ${missing.join(', ')}`)
  if (process.env.CI && obtainable) expect(missing).toEqual([])
})

it.each(pairs)('undici $undici on Node $node.version', async ({ undici, path, node }) => {
  const binary = node?.path ?? ''
  const { stdout, stderr } = await promisify(execFile)(binary, [SCENARIO, path], {
    timeout: 20_000,
  })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual(undici === 8 ? IN_UNDICI_8 : EVERYWHERE)
})
