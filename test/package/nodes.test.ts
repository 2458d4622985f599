/** The installed package on every Node.js that it says it runs on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LAYOUT_VERSION, MAGIC } from '../../src/memory/layout.ts'
import { type Installed, installPackage, run } from './installed.ts'
import { describeNodes, findNodes, versionOf } from './nodes.ts'

const nodes = findNodes()
let installed: Installed

beforeAll(async () => {
  console.log(describeNodes(nodes))
  installed = await installPackage()
}, 120_000)

afterAll(() => installed?.remove())

it('where CI runs on linux-x64, no named version is left out', () => {
  if (process.env.CI && nodes.obtainable) expect(nodes.missing).toEqual([])
  expect(nodes.found.map(versionOf)).toEqual(nodes.found.map(node => node.version))
})

describe.each(nodes.found.map(node => [node.version, node.path] as const))('Node %s', (_, path) => {
  it('imports and requires one module with the same names', async () => {
    const imported = await run(path, installed.folder, ['names.mjs'])
    expect(imported.stderr).toBe('')
    const required = await run(path, installed.folder, ['require.cjs'])
    // 22.12 says so once for a require() that stands outside node_modules; later ones do not.
    expect(required.stderr.replace(EXPERIMENTAL_WARNING, '')).toBe('')
    const names: unknown = JSON.parse(imported.stdout)
    expect(names).toContain('getRegistry')
    expect(JSON.parse(required.stdout)).toEqual({ names, value: 'called', same: true })
  })

  it('opens its front door only', async () => {
    const { stdout } = await run(path, installed.folder, ['deep.mjs'])
    expect(JSON.parse(stdout)).toEqual({
      'busbar/package.json': true,
      'busbar/dist/index.js': 'ERR_PACKAGE_PATH_NOT_EXPORTED',
      'busbar/src/index.ts': 'ERR_PACKAGE_PATH_NOT_EXPORTED',
    })
  })

  it('finds the layout and its header', async () => {
    const { stdout } = await run(path, installed.folder, ['layout.mjs'])
    expect(JSON.parse(stdout)).toEqual({
      version: LAYOUT_VERSION,
      same: true,
      header: 'native-layout/busbar_layout.h',
      required: 'native-layout/busbar_layout.h',
      magic: MAGIC,
    })
  })

  it('ends by itself with registries, breakers in every state and calls open', async () => {
    const { stdout, stderr } = await run(path, installed.folder, ['exit.mjs'])
    const { tookMs, ...report } = JSON.parse(stdout) as { tookMs: number }
    expect(stderr).toBe('')
    expect(report).toEqual({
      states: ['closed', 'open', 'half-open', 'forced-open', 'disabled', 'metrics-only'],
      trial: true,
      worker: { seen: 'open', code: 0 },
    })
    // The shortest thing that could hold it is a wait of 30 s.
    expect(tookMs).toBeLessThan(5_000)
  })

  it('dumps a region that the installed tool prints', async () => {
    await run(path, installed.folder, ['dump.mjs'])
    const { stdout, stderr } = await run(path, installed.folder, [
      'node_modules/.bin/busbar-dump',
      'region',
    ])
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^region in region\n/)
    expect(stdout).toMatch(/^breaker "payments"$/m)
    expect(stdout).toMatch(/^findings: none$/m)
  })

  it.each(['js', 'wasm'])('does everything once, kernel %s', async kernel => {
    const { stdout, stderr } = await run(path, installed.folder, ['smoke.mjs', kernel])
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^smoke passed on v/)
  })

  it('controls overload, with a worker that is ended in the midst of it', async () => {
    const { stdout, stderr } = await run(path, installed.folder, ['overload.mjs'])
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^overload passed on v/)
  })
})

const EXPERIMENTAL_WARNING =
  /^\(node:\d+\) ExperimentalWarning: CommonJS module (?:.+\n){1,2}\(Use `node --trace.+\n$/
