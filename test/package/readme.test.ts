/** Every JavaScript snippet of the README, run as pasted in a folder where busbar is installed. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Installed, installPackage, ROOT, run } from './installed.ts'

interface Snippet {
  readonly language: string
  /** The file that the fence names, or ''. */
  readonly file: string
  readonly text: string
}

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

const SNIPPETS: Snippet[] = [...README.matchAll(/^```(\w*) ?(\S*)\n(.*?)^```$/gms)].map(
  ([, language = '', file = '', text = '']) => ({ language, file, text }),
)

const SCRIPTS = SNIPPETS.filter(({ language }) => language === 'js')

/** What a snippet says it prints: the comment behind each console.log, where there is one. */
function promisedLines(text: string): string[] {
  return [...text.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)].map(([, promise = '']) => promise)
}

let installed: Installed

beforeAll(async () => {
  installed = await installPackage()
  SCRIPTS.forEach(({ file, text }, index) => {
    writeFileSync(join(installed.folder, file || `snippet-${index}.mjs`), text)
  })
})

afterAll(() => installed.remove())

describe('the README', () => {
  it('has its snippets and no language that this test does not know', () => {
    expect(SCRIPTS.length).toBeGreaterThanOrEqual(6)
    expect([...new Set(SNIPPETS.map(({ language }) => language))].sort()).toEqual([
      'js',
      'sh',
      'text',
    ])
  })

  it('names the two set-up commands', () => {
    const commands = SNIPPETS.filter(({ language }) => language === 'sh').map(({ text }) => text)
    expect(commands.join('')).toContain('npm ci && npm run demo\nnpm ci && npm test\n')
  })

  it('has an example of two files that prints what it says', async () => {
    const promised = SNIPPETS.find(({ language }) => language === 'text')?.text
    const { stdout, stderr } = await run(process.execPath, installed.folder, ['main.mjs'])
    expect(stderr).toBe('')
    // Workers that record at the same moment may each add one call, or have one come late (P4).
    const shape = (text = ''): string => text.replace(/\d+/g, 'N')
    expect(shape(stdout)).toBe(shape(promised))
    const [failed = 0, refused = 0] = stdout.match(/\d+/g)?.map(Number) ?? []
    expect(failed).toBeGreaterThanOrEqual(5)
    expect(failed).toBeLessThanOrEqual(8)
    expect(failed + refused).toBeGreaterThanOrEqual(396)
    expect(promised).toBe('open: 5 calls reached the service, 395 were refused\n')
  })

  it('shows of a dumped region what the tool prints', async () => {
    const index = SCRIPTS.findIndex(({ text }) => text.includes("registry.dump('region')"))
    await run(process.execPath, installed.folder, [`snippet-${index}.mjs`])
    const command = ['node_modules/.bin/busbar-dump', 'region', '--breaker', 'payments']
    const { stdout } = await run(process.execPath, installed.folder, command)
    const shape = (text = ''): string[] => text.replace(/[\d,.]+/g, 'N').split(/ *\n/)
    const sample = SNIPPETS.find(({ text }) => text.startsWith('breaker "payments"'))?.text
    expect(sample).toContain('findings: none')
    for (const line of shape(sample)) expect(shape(stdout)).toContain(line)
  })

  const others = SCRIPTS.map((snippet, index) => ({ ...snippet, index })).filter(s => s.file === '')
  it.each(others)('has a snippet $index that runs', async ({ index, text }) => {
    const script = `snippet-${index}.mjs`
    const { stdout, stderr } = await run(process.execPath, installed.folder, [script])
    expect(stderr).toBe('')
    const promised = promisedLines(text)
    if (promised.length > 0) expect(stdout.trimEnd().split('\n')).toEqual(promised)
  })
})
