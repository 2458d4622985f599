/** Keepers and the process around them: its end, its permissions, its files. Each case a process. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'

const run = promisify(execFile)
const LIMIT_MS = 20_000
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const scriptOf = (name: string): string =>
  fileURLToPath(new URL(`keeper/${name}.mjs`, import.meta.url))

async function runScript(name: string, args: string[], flags: string[] = []): Promise<unknown> {
  const call = [...flags, scriptOf(name), ...args]
  const { stdout } = await run(process.execPath, call, { timeout: LIMIT_MS })
  return JSON.parse(stdout)
}

describe('a process with an open registry ends by itself', () => {
  /** Milliseconds. Less than a keeper sleeps that nobody wakes, and it has only just gone to sleep. */
  const AT_ONCE_MS = 700
  /** Of which one at least is not disturbed by what else the machine does. */
  const ATTEMPTS = 3

  /** Milliseconds from its last line to its end. */
  async function timeToLeave(way: string): Promise<number> {
    let doneAt = Number.NaN
    const ended = run(process.execPath, [scriptOf('leave'), way], { timeout: LIMIT_MS })
    ended.child.stdout?.on('data', () => {
      doneAt = performance.now()
    })
    const { stdout, stderr } = await ended
    expect({ stdout, stderr }).toEqual({ stdout: 'done\n', stderr: '' })
    return performance.now() - doneAt
  }

  it.each(['at_once', 'awake', 'asleep', 'by_exit'])('%s', async way => {
    const times: number[] = []
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) times.push(await timeToLeave(way))
    expect(Math.min(...times)).toBeLessThan(AT_ONCE_MS)
  })
})

describe('a keeper that cannot be started costs one warning, and nothing else', () => {
  const WITHOUT = {
    calls: 1000,
    state: 'open',
    wasRefused: true,
    early: false,
    after: 'closed',
    keeper: 'none',
  }

  it('because its file is not there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'busbar-keeper-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
    cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
    rmSync(join(folder, 'dist/threads/keeper.js'))
    const index = pathToFileURL(join(folder, 'dist/index.js')).href
    const warning = /^busbar: no keeper, every thread reads its own clock: .*keeper\.js/
    expect(await runScript('work', [index])).toEqual({
      ...WITHOUT,
      warnings: [expect.stringMatching(warning)],
    })
  })

  const permission = ['--permission', '--experimental-permission'].find(flag =>
    process.allowedNodeEnvironmentFlags.has(flag),
  )

  it('because the process may not start workers', async () => {
    // Node 20 has it under one name, later ones under another.
    if (permission === undefined) throw new Error('this Node has no permissions')
    const index = pathToFileURL(join(ROOT, 'dist/index.js')).href
    const seen = (await runScript('work', [index], [permission, '--allow-fs-read=*'])) as {
      warnings: string[]
    }
    const ours = seen.warnings.filter(warning => warning.startsWith('busbar'))
    const warning = /^busbar: no keeper, every thread reads its own clock: .*restricted/
    expect({ ...seen, warnings: ours }).toEqual({
      ...WITHOUT,
      warnings: [expect.stringMatching(warning)],
    })
  })
})

describe('getRegistry in a worker', () => {
  const cases: [made: string, asked: string | undefined, seen: object][] = [
    ['{}', undefined, { there: 'asleep', here: 'asleep' }],
    ['{}', '{}', { there: 'asleep', here: 'asleep' }],
    ['{}', '{"keeper":true}', { there: 'asleep', here: 'asleep' }],
    ['{}', '{"keeper":{"tickMs":5}}', { there: 'asleep', here: 'asleep' }],
    ['{"keeper":true}', '{"keeper":{}}', { there: 'asleep', here: 'asleep' }],
    ['{"keeper":{"tickMs":7}}', undefined, { there: 'asleep', here: 'asleep' }],
    ['{"keeper":false}', undefined, { there: 'none', here: 'none' }],
    ['{"keeper":false}', '{"keeper":false}', { there: 'none', here: 'none' }],
    ['{"clock":"manual"}', '{"keeper":false}', { there: 'none', here: 'none' }],
  ]
  it.each(cases)('made with %s, found with %s', async (made, asked, seen) => {
    expect(await runScript('find', asked === undefined ? [made] : [made, asked])).toEqual(seen)
  })

  const others: [made: string, asked: string, before: number, after: number][] = [
    ['{}', '{"keeper":{"tickMs":6}}', 5, 6],
    ['{"keeper":{"tickMs":7}}', '{"keeper":true}', 7, 5],
    ['{}', '{"keeper":false}', 5, 0],
    ['{"keeper":false}', '{"keeper":true}', 0, 5],
  ]
  it.each(others)('made with %s, refused with %s', async (made, asked, before, after) => {
    expect(await runScript('find', [made, asked])).toMatchObject({
      code: 'ERR_OPTIONS_MISMATCH',
      existing: { 'keeper.tickMs': before },
      requested: { 'keeper.tickMs': after },
    })
  })
})
