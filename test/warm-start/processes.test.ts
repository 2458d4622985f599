/** Real processes, and in each of them threads that make the breaker before the main thread. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { runScript } from '../examples/run-example.ts'

const SERVICE = fileURLToPath(new URL('../../examples/warm-start/service.mjs', import.meta.url))
const PROCESS = fileURLToPath(new URL('process.mjs', import.meta.url))

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-warm-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'kept')
}

it('three deploys in a row send a dead dependency what one does', async () => {
  const text = await runScript('examples/warm-start/main.mjs')
  const [cold = [], warm = []] = [...text.matchAll(/^\| starts .*$/gm)].map(([line]) =>
    (line.match(/\d+/g) ?? []).map(Number),
  )
  // The threshold, and a call that the other thread had in flight.
  expect(cold).toHaveLength(3)
  for (const sent of [...cold, warm[0]]) expect([5, 6]).toContain(sent)
  expect(warm.slice(1)).toEqual([0, 0])
}, 60_000)

it.each([
  ['{"writtenAt": 0, "states": {"busbar": 9}}', 'options.import.busbar must be 1'],
  ['{"writtenAt": 0, "sta', 'JSON'],
])('a file that is no use means a cold start: %s', async (content, message) => {
  const file = scratch()
  writeFileSync(file, content)
  // Nothing listens there: each call fails.
  const { stderr } = await promisify(execFile)(process.execPath, [SERVICE, '1', file])
  expect(stderr).toContain('starting cold: ')
  expect(stderr).toContain(message)
  const { states } = JSON.parse(readFileSync(file, 'utf8'))
  expect(states.breakers).toMatchObject([{ name: 'stock', state: 'open', openings: 1 }])
})

it('getRegistry takes an import where it makes the registry, and none but that later', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROCESS])
  expect(JSON.parse(stdout)).toEqual({
    refusedFirst: 'ERR_INVALID_OPTION',
    main: 'forced-open',
    same: true,
    other: 'ERR_OPTIONS_MISMATCH',
    malformed: 'ERR_INVALID_OPTION',
    // Made there, after the main thread and with options of its own.
    worker: { states: ['forced-open', 'open'], other: 'ERR_OPTIONS_MISMATCH' },
    exported: ['forced-open', 'open', 'disabled'],
  })
})
