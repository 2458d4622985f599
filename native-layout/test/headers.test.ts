/** Every header stands on its own, in C11 and C++17, without a warning of gcc or clang. */
import { describe, it } from 'vitest'
import { LAYOUT, nativeFiles, obstacleTo, run, WARNINGS } from './build.ts'
import { fileOf } from './regions.ts'
import { needs } from './support.ts'

const STRICT = [...WARNINGS, '-Wshadow', '-Wconversion', '-fsyntax-only']
const COMPILERS = [
  ['gcc', '-std=gnu11', 'c'],
  ['clang', '-std=gnu11', 'c'],
  ['g++', '-std=c++17', 'c++'],
  ['clang++', '-std=c++17', 'c++'],
] as const

const HEADERS = nativeFiles().filter(
  path => path.endsWith('.h') && !path.startsWith(`${LAYOUT}test/`),
)

describe.each(COMPILERS)('%s %s', (compiler, standard, language) => {
  it(`${HEADERS.length} headers`, context => {
    needs(context, obstacleTo(compiler))
    for (const header of HEADERS) {
      // Twice: a header may be included again.
      const source = fileOf(Buffer.from(`#include "${header}"\n`.repeat(2)))
      run(compiler, [standard, ...STRICT, '-x', language, source])
    }
  })
})
