/** Decisions and outcomes leave no garbage, with a keeper and without, and nothing that stays. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** As in test/threads/allocation.test.ts: one boxed number a call is about eighty collections. */
const MOST_COLLECTIONS = 3
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

it.each(['keeper', 'none'])(
  'ten million calls of each kind leave no garbage (%s)',
  { timeout: LIMIT_MS },
  async mode => {
    const script = fileURLToPath(new URL('allocation.mjs', import.meta.url))
    const flags = ['--trace-gc', '--expose-gc', script, mode]
    const { stdout } = await run(process.execPath, flags, { maxBuffer: 2 ** 24, timeout: LIMIT_MS })
    const loops = loopsOf(stdout)
    expect([...loops.keys()]).toEqual(['calm', 'busy'])
    for (const [name, { collections, bytes }] of loops) {
      expect(collections, `collections of ${name}`).toBeLessThanOrEqual(MOST_COLLECTIONS)
      expect(bytes, `bytes that ${name} leaves`).toBeLessThan(MOST_BYTES)
    }
    const refused = Number(/^refused (.*)$/m.exec(stdout)?.[1])
    expect(Math.abs(refused - 0.5)).toBeLessThan(0.01)
  },
)
