/** native-layout/ is what `npm run layout` writes, and a layout that changes has a new version. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CHANGES, fingerprintsIn, versionProblem } from '../../scripts/layout/changes.ts'
import { problems, write } from '../../scripts/layout/generate.ts'
import { describeLayout, fingerprintOf } from '../../scripts/layout/json.ts'
import { LAYOUT_VERSION } from '../../src/memory/layout.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const GENERATED = ['layout.json', 'layout.md', 'busbar_layout.h']

it('what is committed is what is generated, and its version says so', () => {
  expect(problems(ROOT)).toEqual([])
})

it('`npm run layout -- --check` finds the same', () => {
  // Rejects when the exit code is not 0.
  const output = execFileSync(process.execPath, ['scripts/layout/run.mjs', '--check'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(output).toBe('')
})

it.each(GENERATED)('%s says in its first lines that it is generated', name => {
  const [first] = readFileSync(join(ROOT, 'native-layout', name), 'utf8').split('npm run layout')
  expect(first?.split('\n').length).toBeLessThanOrEqual(2)
})

it('there is an entry for each version, the newest first', () => {
  const versions = [...fingerprintsIn(readFileSync(join(ROOT, CHANGES), 'utf8')).keys()]
  const expected = Array.from({ length: LAYOUT_VERSION }, (_, index) => LAYOUT_VERSION - index)
  expect(versions).toEqual(expected)
})

describe('in a copy', () => {
  let copy: string

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'busbar-layout-'))
    for (const name of [...GENERATED, 'CHANGES.md']) {
      const path = join('native-layout', name)
      cpSync(join(ROOT, path), join(copy, path))
    }
  })

  afterEach(() => rmSync(copy, { recursive: true, force: true }))

  it.each(GENERATED)('an edit of %s is found, with its line, and written over', name => {
    const path = `native-layout/${name}`
    const text = readFileSync(join(copy, path), 'utf8')
    const lines = text.split('\n')
    lines[10] += ' edited'
    writeFileSync(join(copy, path), lines.join('\n'))
    const [problem, ...others] = problems(copy)
    expect(others).toEqual([])
    expect(problem).toMatch(`${path}:11 is not what`)
    expect(problem).toMatch(/there: .* edited\n/)
    expect(write(copy)).toEqual([path])
    expect(problems(copy)).toEqual([])
  })

  it('a file that is missing is found, and written', () => {
    rmSync(join(copy, 'native-layout/busbar_layout.h'))
    expect(problems(copy)).toHaveLength(1)
    expect(write(copy)).toEqual(['native-layout/busbar_layout.h'])
    expect(problems(copy)).toEqual([])
  })

  it('a version without an entry, or with another fingerprint, is found', () => {
    const changes = readFileSync(join(copy, CHANGES), 'utf8')
    writeFileSync(join(copy, CHANGES), changes.replaceAll('## Version', '## Edition'))
    expect(problems(copy)).toEqual([expect.stringMatching('has no entry for layout version')])
    writeFileSync(join(copy, CHANGES), changes.replace(/`[0-9a-f]{16}`/, `\`${'0'.repeat(16)}\``))
    expect(problems(copy)).toEqual([expect.stringMatching('raise LAYOUT_VERSION')])
  })
})

describe('the fingerprint', () => {
  const layout = describeLayout()
  const [header] = layout.structs
  if (header === undefined) throw new Error('no header')
  const [magic] = header.words
  if (magic === undefined) throw new Error('no magic')

  /** The layout with the first word of its header changed. */
  const withMagic = (change: Partial<typeof magic>) => ({
    ...layout,
    structs: [
      { ...header, words: [{ ...magic, ...change }, ...header.words.slice(1)] },
      ...layout.structs.slice(1),
    ],
  })

  it.each([
    ['an offset', withMagic({ offset: 4 })],
    ['a type', withMagic({ type: 'u32' })],
    ['a class', withMagic({ class: 'fixed' })],
    ['a packing', withMagic({ packing: 'STATE' })],
    ['a name', withMagic({ name: 'SPELL' })],
    ['a constant', { ...layout, constants: layout.constants.slice(1) }],
    ['a field', { ...layout, packings: layout.packings.toReversed() }],
    ['the version', { ...layout, version: layout.version + 1 }],
  ])('changes with %s, and asks for a version', (_, changed) => {
    expect(fingerprintOf(changed)).not.toBe(fingerprintOf(layout))
    expect(versionProblem(ROOT, changed)).toMatch(/raise LAYOUT_VERSION|has no entry/)
  })

  it('changes with a formula', () => {
    const { formulas } = layout
    const parts = formulas.region.parts.map(part => ({ ...part, bytes: `${part.bytes} + 0` }))
    const region = { ...formulas.region, parts }
    const changed = { ...layout, formulas: { ...formulas, region } }
    expect(versionProblem(ROOT, changed)).toMatch('raise LAYOUT_VERSION')
  })

  it.each([
    ['meaning', withMagic({ meaning: 'Said in other words.' })],
    ['writers', withMagic({ writers: 'who made it' })],
    ['rule', { ...layout, rules: {} }],
  ])('stays with another sentence: %s', (_, changed) => {
    expect(fingerprintOf(changed)).toBe(fingerprintOf(layout))
    expect(versionProblem(ROOT, changed)).toBeUndefined()
  })
})
