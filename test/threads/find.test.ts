/** getRegistry: found in every worker, made only on the main thread; each case a process of its own. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)

async function find(kind: string): Promise<unknown> {
  const script = fileURLToPath(new URL('find/main.mjs', import.meta.url))
  const { stdout, stderr } = await run(process.execPath, [script, kind], { timeout: 20_000 })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

describe('getRegistry', () => {
  it.each(['plain', 'nested', 'piscina'])('is the same registry in %s workers', async kind => {
    expect(await find(kind)).toEqual({ seen: 'open', names: ['b'], reason: 'by hand' })
  })

  it('is the same object at every call', async () => {
    expect(await find('same')).toEqual({ same: true })
  })

  it('in a worker that has none says how to get one', async () => {
    expect(await find('none')).toEqual({
      code: 'ERR_NO_REGISTRY',
      message: expect.stringContaining('call getRegistry() on the main thread before'),
    })
  })

  it('refuses options that differ from those it was made with', async () => {
    expect(await find('mismatch')).toEqual({ code: 'ERR_OPTIONS_MISMATCH' })
  })

  it('lets two copies of the package in one thread share its slot', async () => {
    expect(await find('copies')).toEqual({ threads: 1, state: 'open' })
  })

  it('sees, opens and resets everything while the other threads are blocked', async () => {
    expect(await find('blocked')).toEqual({ before: 'open', after: 'closed', admitted: 1 })
  })
})
