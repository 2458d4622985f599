/** The benchmark suite as a user runs it: answers, files, and a comparison of two runs. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, expect, it } from 'vitest'

const run = promisify(execFile)
const RUN = fileURLToPath(new URL('../../bench/run.mjs', import.meta.url))
const COMPARE = fileURLToPath(new URL('../../bench/compare.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'busbar-bench-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Row {
  label: string
  value: number
  role?: string
}

interface Result {
  seed: number
  faults: object
  answers: Record<string, { panels: { title: string; rows: Row[] }[] }>
}

it('answers, writes a page that needs nothing else, and can be compared', {
  timeout: 120_000,
}, async () => {
  const only = ['--quick', '--only', 'refuse,coherence', '--seed', '7', '--out', folder]
  const { stdout } = await run(process.execPath, [RUN, ...only], { maxBuffer: 2 ** 24 })
  expect(stdout).toContain('What does a refusal cost?')

  const json = join(folder, 'latest.json')
  const { seed, faults, answers } = JSON.parse(readFileSync(json, 'utf8')) as Result
  expect({ seed, faults }).toEqual({ seed: 7, faults: {} })
  expect(Object.keys(answers)).toEqual(['refuse', 'coherence'])
  const rows = answers.refuse?.panels.flatMap(panel => panel.rows) ?? []
  expect(rows.some(({ role }) => role === 'floor')).toBe(true)
  for (const { value } of rows) expect(value).toBeGreaterThan(0)

  const page = readFileSync(join(folder, 'latest.html'), 'utf8')
  expect(page).toContain('What does a refusal cost?')
  expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)

  const compared = await run(process.execPath, [COMPARE, json, json])
  expect(compared.stdout).toMatch(/refus/)
})

it('no line moves for a refusal or a good outcome of a time window, on up to 128 cores', async () => {
  const { answers } = JSON.parse(readFileSync(join(folder, 'latest.json'), 'utf8')) as Result
  const panel = answers.coherence?.panels.find(({ title }) => /for one operation/.test(title))
  const transfers = (label: string) =>
    panel?.rows.filter(row => row.label === label).map(({ value }) => value)
  expect(new Set(transfers('refusal'))).toEqual(new Set([0]))
  expect(new Set(transfers('permit + success, time window'))).toEqual(new Set([0]))
  expect(Math.min(...(transfers('one shared counter') ?? []))).toBeGreaterThan(0)
})

it('says what is wrong with a question or a file that is not there', async () => {
  const failing = async (script: string, ...args: string[]) => {
    const child = run(process.execPath, [script, ...args])
    return await child.then(
      () => 'no error',
      (error: { code: number; stderr: string }) => `${error.code}: ${error.stderr}`,
    )
  }
  expect(await failing(RUN, '--only', 'nothing')).toMatch(/^2: no question "nothing"; there are/)
  expect(await failing(COMPARE, 'no-such.json', 'no-such.json')).toMatch(/no-such\.json/)
})
