/** Permits and refusals leave no garbage, with a queue and without. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const FILE = fileURLToPath(new URL('allocation.mjs', import.meta.url))

interface Loop {
  readonly collections: number
  readonly grown: number
}

it('a million permits and refusals need no collection, and nothing stays', async () => {
  // One boxed number a call would be about forty collections of this young generation.
  const args = ['--expose-gc', '--max-semi-space-size=1', FILE]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const loops = Object.entries(JSON.parse(stdout) as Record<string, Loop>)
  expect(loops).toHaveLength(4)
  for (const [name, { collections, grown }] of loops) {
    expect(collections, name).toBeLessThanOrEqual(2)
    expect(grown, name).toBeLessThan(500_000)
  }
})
