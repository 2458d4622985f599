/**
 * The client under ThreadSanitizer, AddressSanitizer and UndefinedBehaviorSanitizer, in programs
 * without Node.js, on regions that JavaScript made. A report ends the program with an error.
 */
import { describe, it } from 'vitest'
import { baseSeed } from '../../test/model/random.ts'
import { buildProgram, has, run } from './build.ts'
import { NAMES, regionFile } from './regions.ts'
import { needs } from './support.ts'

const MILLISECONDS = 700
const ROUNDS = 1500
const SANITIZERS = ['thread', 'address,undefined,float-cast-overflow'] as const
const LIMIT_MS = 120_000

function flagsOf(sanitizers: string): string[] {
  return ['-O1', `-fsanitize=${sanitizers}`, '-fno-sanitize-recover=all']
}

/** Some kernels place memory where ThreadSanitizer does not expect it, unless told not to. */
function runSanitized(path: string, args: readonly string[]): string {
  try {
    return run(path, args)
  } catch (error) {
    if (!/unexpected memory mapping/.test(String(error)) || !has('setarch')) throw error
    return run('setarch', ['-R', path, ...args])
  }
}

describe.each(['gcc', 'clang'])('built by %s', compiler => {
  for (const sanitizers of SANITIZERS) {
    it(
      `four threads on every call, with -fsanitize=${sanitizers}`,
      context => {
        const built = buildProgram(compiler, ['stress.c'], flagsOf(sanitizers))
        if (!('path' in built)) return needs(context, built.why)
        const seed = baseSeed(`stress, ${compiler}, ${sanitizers}`)
        for (const options of [{ maxThreads: 8, keeper: { tickMs: 1 } }, { maxThreads: 3 }]) {
          const region = regionFile(options)
          const args = [region, String(MILLISECONDS), String(seed), ...NAMES]
          console.log(runSanitized(built.path, args))
        }
      },
      LIMIT_MS,
    )
  }

  it(
    'damaged memory, with the other sanitizers',
    context => {
      const built = buildProgram(compiler, ['hostile.c'], flagsOf(SANITIZERS[1]))
      if (!('path' in built)) return needs(context, built.why)
      const seed = baseSeed(`hostile, ${compiler}`)
      for (const clock of ['manual', 'monotonic'] as const) {
        const region = regionFile({ clock })
        run(built.path, [region, String(seed), String(ROUNDS), ...NAMES])
      }
    },
    LIMIT_MS,
  )
})
