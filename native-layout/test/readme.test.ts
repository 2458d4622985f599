/** The example of native-layout/README.md, built and run as it says. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { has } from './build.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const README = readFileSync(`${ROOT}/native-layout/README.md`, 'utf8')

function snippet(head: string): string {
  const found = new RegExp(`^\`\`\`${head}\n(.*?)^\`\`\`$`, 'ms').exec(README)?.[1]
  if (found === undefined) throw new Error(`the README has no snippet ${head}`)
  return found
}

it('guards native calls, and JavaScript sees it', ctx => {
  if (!has('cc')) return ctx.skip('no C compiler: cc cannot be run')
  const folder = mkdtempSync(`${tmpdir()}/busbar-readme-`)
  try {
    mkdirSync(`${folder}/node_modules`)
    symlinkSync(ROOT, `${folder}/node_modules/busbar`)
    const headers = `${ROOT}/node_modules/node-api-headers`
    symlinkSync(headers, `${folder}/node_modules/node-api-headers`)
    for (const file of ['guard.c', 'guard.mjs']) {
      writeFileSync(`${folder}/${file}`, snippet(`\\w+ ${file}`))
    }
    // With warnings on top, which a user may have on.
    const commands = snippet('sh').replace('cc -shared', 'cc -Wall -Wextra -Werror -shared')
    const options = { cwd: folder, encoding: 'utf8', timeout: 60_000 } as const
    expect(execFileSync('sh', ['-ec', commands], options)).toBe(snippet('text'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
