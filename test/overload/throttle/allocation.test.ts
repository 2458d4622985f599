/**
 * Decisions and outcomes leave no garbage, and without a keeper at most the time that they read,
 * and nothing that stays.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** As in test/threads/allocation.test.ts. */
const MOST_COLLECTIONS = 3
/**
 * Without a keeper each call of the loop reads the clock once. Where V8 has inlined as much as it
 * wants to before it comes to that (which depends on when it compiles: one process in twelve), the
 * time is boxed: 16 bytes, 40 collections in all, and 19 were seen. The array that the time comes
 * in would be 77.
 */
const MOST_WITH_BOXED_TIMES = 45
/** So much inlining that it always comes to that. */
const INLINING = '--max-inlined-bytecode-size-cumulative=4000'
const MOST_BYTES = 500_000
const LIMIT_MS = 120_000

interface Loop {
  collections: number
  bytes: number
}

/** The collector's lines between the two lines of each loop, where they are of the first thread. */
function loopsOf(output: string): Map<string, Loop> {
  const loops = new Map<string, Loop>()
  let current: Loop | undefined
  const heap = /^\[\d+:(0x\w+)\].*testing/m.exec(output)?.[1] ?? 'none'
  for (const line of output.split('\n')) {
    const [what, name = '', value] = line.split(' ')
    const isCollection = line.includes(heap) && /Scavenge|Mark-Compact/.test(line)
    if (what === 'begin') {
      current = { collections: 0, bytes: Number.NaN }
      loops.set(name, current)
    } else if (what === 'end') current = undefined
    else if (what === 'grew') Object.assign(loops.get(name) ?? {}, { bytes: Number(value) })
    else if (current !== undefined && isCollection) current.collections++
  }
  return loops
}

it.each<[string, string, string[], number]>([
  ['a keeper', 'keeper', [], MOST_COLLECTIONS],
  ['no keeper', 'none', [INLINING], MOST_COLLECTIONS],
  ['no keeper, but the time where V8 boxes it', 'none', [], MOST_WITH_BOXED_TIMES],
])(
  'ten million calls of each kind leave no garbage: %s',
  { timeout: LIMIT_MS },
  async (_, mode, inlining, most) => {
    const script = fileURLToPath(new URL('allocation.mjs', import.meta.url))
    const flags = ['--trace-gc', '--expose-gc', ...inlining, script, mode]
    const { stdout } = await run(process.execPath, flags, { maxBuffer: 2 ** 24, timeout: LIMIT_MS })
    const loops = loopsOf(stdout)
    expect([...loops.keys()]).toEqual(['calm', 'busy'])
    for (const [name, { collections, bytes }] of loops) {
      expect(collections, `collections of ${name}`).toBeLessThanOrEqual(most)
      expect(bytes, `bytes that ${name} leaves`).toBeLessThan(MOST_BYTES)
    }
    const refused = Number(/^refused (.*)$/m.exec(stdout)?.[1])
    expect(Math.abs(refused - 0.5)).toBeLessThan(0.01)
  },
)
