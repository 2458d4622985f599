/**
 * P1: a refusal leaves no garbage, on any Node. Nor do the records on Node 20; what V8 inlines
 * differs from one version to the next, and on Node 24 a time window's record leaves some.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** The collector's lines between the two lines of each loop. */
function collectionsByLoop(output: string): Record<string, number> {
  const collections: Record<string, number> = {}
  let loop = ''
  for (const line of output.split('\n')) {
    const begin = /^begin (\w+)/.exec(line)
    if (begin?.[1] !== undefined) {
      loop = begin[1]
      collections[loop] = 0
    } else if (line.startsWith('end')) loop = ''
    else if (loop !== '' && /Scavenge|Mark-Compact/.test(line)) {
      collections[loop] = (collections[loop] ?? 0) + 1
    }
  }
  return collections
}

const NODE_20 = process.version.startsWith('v20.')

it('ten million calls of each kind bring no garbage collection', async () => {
  const script = fileURLToPath(new URL('allocation.mjs', import.meta.url))
  const { stdout } = await run(process.execPath, ['--trace-gc', script], { maxBuffer: 2 ** 24 })
  const collections = collectionsByLoop(stdout)
  expect(Object.keys(collections)).toEqual(['refuse', 'time', 'count', 'row'])
  // One boxed number a call is about eighty collections. Compiling may bring one or two.
  for (const [loop, times] of Object.entries(collections)) {
    if (NODE_20 || loop === 'refuse') expect(times, loop).toBeLessThanOrEqual(3)
  }
})
