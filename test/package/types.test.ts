/** The declarations as users' compilers see them: the type tests, compiled against the package. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Installed, installPackage, ROOT } from './installed.ts'

const TYPE_TESTS = join(ROOT, 'test/types')

/** Compiled along with the rest: its error, the only one, shows that the compiler looked. */
const WRONG_USE = "import { createRegistry } from 'busbar'\ncreateRegistry({ clock: 5 })\n"
const WRONG = [expect.stringMatching(/^wrong\.ts\(2,18\): error TS2322: /)]

const COMMONJS_USE = `
import busbar = require('busbar')
const registry: busbar.Registry = busbar.createRegistry({ clock: 'manual' })
export const state: busbar.State = registry.breaker('b').state
`

let installed: Installed

beforeAll(async () => {
  installed = await installPackage()
  const folder = join(installed.folder, 'types')
  mkdirSync(folder)
  writeFileSync(join(installed.folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  writeFileSync(join(installed.folder, 'wrong.ts'), WRONG_USE)
  writeFileSync(join(installed.folder, 'commonjs.cts'), COMMONJS_USE)
  for (const name of readdirSync(TYPE_TESTS)) {
    const text = readFileSync(join(TYPE_TESTS, name), 'utf8')
    writeFileSync(
      join(folder, name),
      text
        .replace("'../../src/index.ts'", "'busbar'")
        .replace("'../../src/cockatiel/cockatiel.ts'", "'busbar/cockatiel'")
        .replace("'./expect.ts'", "'./expect.js'"),
    )
  }
}, 120_000)

afterAll(() => installed?.remove())

/** What the compiler complains about, a line an error. */
async function compile(options: Record<string, unknown>, include: string[]): Promise<string[]> {
  const config = {
    compilerOptions: {
      target: 'es2022',
      strict: true,
      skipLibCheck: false,
      // TypeScript's own: half of the time that a compilation takes.
      skipDefaultLibCheck: true,
      noEmit: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      ...options,
    },
    include,
  }
  const path = join(installed.folder, 'tsconfig.json')
  writeFileSync(path, JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', path], { cwd: installed.folder })
    return []
  } catch (error) {
    const { stdout } = error as { stdout?: string }
    return stdout ? stdout.split('\n').filter(line => /^\S/.test(line)) : [String(error)]
  }
}

it.each([
  ['node16', { module: 'node16' }],
  ['nodenext', { module: 'nodenext' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
])('the type tests hold with moduleResolution %s', async (_, options) => {
  const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
  expect(await compile({ ...options, ...strictest }, ['types/*.ts', 'wrong.ts'])).toEqual(WRONG)
})

it('they hold without exactOptionalPropertyTypes, and in a CommonJS module', async () => {
  const files = ['types/*.ts', 'wrong.ts', 'commonjs.cts']
  expect(await compile({ module: 'nodenext' }, files)).toEqual(WRONG)
})
