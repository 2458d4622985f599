/** The snippets of the migration page, run as a user would, print what they say. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ROOT, readPage, snippetsOf } from '../migration/pages.ts'

it('the snippets of docs/migration/opossum.md', () => {
  const snippets = snippetsOf(readPage('opossum'))
  expect(snippets.flatMap(({ prints }) => prints)).toEqual(['true'])
  for (const { text, prints } of snippets) {
    const options = { cwd: ROOT, input: text, encoding: 'utf8' } as const
    const output = execFileSync(process.execPath, ['--input-type=module'], options)
    expect(output.trim().split('\n').filter(Boolean)).toEqual(prints)
  }
})
