/** busbar_layout.h through every compiler that is here: its checks, its constants, its sizes. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONSTANTS, ENUMERATIONS, PACKINGS, STRUCTS } from '../../src/memory/described/index.ts'

const HEADERS = fileURLToPath(new URL('../../native-layout', import.meta.url))
const WARNINGS = ['-Wall', '-Wextra', '-Werror', '-pedantic']
const COMPILERS = [
  ['gcc', 'c', '-std=c11'],
  ['g++', 'cpp', '-std=c++17'],
  ['clang', 'c', '-std=c11'],
  ['clang++', 'cpp', '-std=c++17'],
] as const

let folder: string

beforeAll(() => {
  const missing = COMPILERS.map(([compiler]) => compiler).filter(name => !isThere(name))
  if (missing.length > 0) console.warn(`NOT compiled with ${missing.join(', ')}: not here`)
  folder = mkdtempSync(join(tmpdir(), 'busbar-header-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function isThere(compiler: string): boolean {
  try {
    execFileSync(compiler, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const STRUCTS_IN_HEADER = STRUCTS.filter(({ inHeader }) => inHeader)

/** Names without BUSBAR_, and their values. */
const MACROS = [
  ...[...CONSTANTS, ...ENUMERATIONS.flatMap(({ values }) => values)].map(
    ({ name, value }) => [name, value] as const,
  ),
  ...PACKINGS.flatMap(({ name, fields }) =>
    fields.flatMap(field => {
      const prefix = `${name}_${field.name.toUpperCase()}`
      return [[`${prefix}_BITS`, field.bits] as const, [`${prefix}_SHIFT`, field.shift] as const]
    }),
  ),
]

/** A program that prints all of them, as the compiler has them. */
const PRINTER = [
  '#include "busbar_layout.h"',
  '#include "busbar_layout.h"',
  '#include <stdio.h>',
  'int main(void) {',
  ...MACROS.map(([name]) => `  printf("${name} %lld\\n", (long long)BUSBAR_${name});`),
  ...STRUCTS_IN_HEADER.map(({ name }) => `  printf("${name} %d\\n", (int)sizeof(busbar_${name}));`),
  '  return 0;',
  '}',
  '',
].join('\n')

const PRINTED = [
  ...MACROS.map(([name, value]) => `${name} ${value}`),
  ...STRUCTS_IN_HEADER.map(({ name, size }) => `${name} ${size}`),
]

describe.each(COMPILERS)('%s', (compiler, language, standard) => {
  const present = isThere(compiler)
  /** Throws, with what the compiler says, unless it says nothing. */
  const compile = (...args: string[]): string =>
    execFileSync(compiler, [...WARNINGS, standard, `-I${HEADERS}`, ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    })

  it.for([
    ['offset', 'BUSBAR_OFFSET(busbar_header, tick, 256)'],
    ['size', 'BUSBAR_SIZE(busbar_bucket, 32)'],
    ['alignment', 'BUSBAR_ALIGNMENT(busbar_record, 8)'],
  ] as const)('refuses another %s', ([what, check], ctx) => {
    if (!present) ctx.skip(`no C compiler: ${compiler} is not here`)
    const text = readFileSync(join(HEADERS, 'busbar_layout.h'), 'utf8')
    const wrong = text.replace(check, check.replace(/\d+/, '64'))
    expect(wrong).not.toBe(text)
    const file = join(folder, `wrong-${compiler}.${language}`)
    writeFileSync(file, wrong)
    expect(() => compile('-c', file, '-o', `${file}.o`)).toThrow(`${what} of busbar_`)
  })

  it('has its constants and sizes', ctx => {
    if (!present) ctx.skip(`no C compiler: ${compiler} is not here`)
    const file = join(folder, `print-${compiler}.${language}`)
    writeFileSync(file, PRINTER)
    compile(file, '-o', `${file}.out`)
    const output = execFileSync(`${file}.out`, { encoding: 'utf8' })
    expect(output.trim().split('\n')).toEqual(PRINTED)
  })
})
