/** P1: refusals and records leave no garbage, with a keeper and without, and nothing that stays. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** One boxed number a call is forty to eighty collections. What V8 does for itself may bring a few. */
const MOST_COLLECTIONS = 3
/** A byte in twenty calls; most of it is compiled code. */
const MOST_BYTES = 500_000
const LIMIT_MS = 120_000

interface Loop {
  /** Of the keeper when the loop began. */
  readonly keeper: string
  collections: number
  bytes: number
}

/** The collector's lines between the two lines of each loop, where they are of the first thread. */
function loopsOf(output: string): Record<string, Loop> {
  const loops: Record<string, Loop> = {}
  let current: Loop | undefined
  // The keeper's thread has a heap of its own, and only the first asks for collections.
  const heap = /^\[\d+:(0x\w+)\].*testing/m.exec(output)?.[1] ?? 'none'
  for (const line of output.split('\n')) {
    const [what, name = '', value] = line.split(' ')
    if (what === 'begin') {
      current = { keeper: value ?? '', collections: 0, bytes: Number.NaN }
      loops[name] = current
    } else if (what === 'end') current = undefined
    else if (what === 'grew') (loops[name] as Loop).bytes = Number(value)
    else if (current && line.includes(heap) && /Scavenge|Mark-Compact/.test(line)) {
      current.collections++
    }
  }
  return loops
}

async function expectNoGarbage(mode: string, kernel: string): Promise<void> {
  const script = fileURLToPath(new URL('allocation.mjs', import.meta.url))
  const flags = ['--trace-gc', '--expose-gc']
  const options = { maxBuffer: 2 ** 24, timeout: LIMIT_MS }
  const { stdout } = await run(process.execPath, [...flags, script, mode, kernel], options)
  const loops = loopsOf(stdout)
  expect(Object.keys(loops)).toEqual(['open', 'forced', 'time', 'count', 'row'])
  // Those that read the clock keep it awake.
  const keepers = ['open', 'forced', 'time'].map(name => loops[name]?.keeper)
  expect(keepers).toEqual(Array(3).fill(mode === 'keeper' ? 'awake' : 'none'))
  for (const [name, { collections, bytes }] of Object.entries(loops)) {
    const what = `${name}, kernel ${kernel}`
    expect(collections, `collections of ${what}`).toBeLessThanOrEqual(MOST_COLLECTIONS)
    expect(bytes, `bytes that ${what} leaves`).toBeLessThan(MOST_BYTES)
  }
}

it.each(['keeper', 'none'])(
  'ten million calls of each kind leave no garbage (%s)',
  { timeout: LIMIT_MS },
  async mode => {
    await Promise.all(['js', 'wasm'].map(kernel => expectNoGarbage(mode, kernel)))
  },
)
