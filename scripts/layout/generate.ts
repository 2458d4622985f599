/** What `npm run layout` writes, and where what is there differs from it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { versionProblem } from './changes.ts'
import { headerText } from './header.ts'
import { describeLayout, jsonText } from './json.ts'
import { markdownText } from './markdown.ts'

/** The text of each file, by its path. */
function texts(): readonly (readonly [path: string, text: string])[] {
  return [
    ['native-layout/layout.json', jsonText()],
    ['native-layout/layout.md', markdownText()],
    ['native-layout/busbar_layout.h', headerText()],
  ]
}

/** Writes the files that differ; their paths. */
export function write(root: string): string[] {
  const stale = differences(root).map(({ path }) => path)
  for (const [path, text] of texts()) {
    if (stale.includes(path)) writeFileSync(join(root, path), text)
  }
  return stale
}

/** What is wrong with what stands under `root`, a sentence for each. */
export function problems(root: string): string[] {
  const stale = differences(root).map(({ path, line, committed, generated }) =>
    [
      `${path}:${line} is not what \`npm run layout\` writes:`,
      `  there:     ${committed ?? '(nothing)'}`,
      `  generated: ${generated ?? '(nothing)'}`,
    ].join('\n'),
  )
  const version = versionProblem(root, describeLayout())
  return version === undefined ? stale : [...stale, version]
}

interface Difference {
  readonly path: string
  /** The first that differs, from 1. */
  readonly line: number
  readonly committed: string | undefined
  readonly generated: string | undefined
}

function differences(root: string): Difference[] {
  return texts().flatMap(([path, text]) => {
    const file = join(root, path)
    const difference = differenceOf(existsSync(file) ? readFileSync(file, 'utf8') : '', text)
    return difference === undefined ? [] : [{ path, ...difference }]
  })
}

/** Where two texts differ first; undefined when they do not. */
export function differenceOf(
  committed: string,
  generated: string,
): Omit<Difference, 'path'> | undefined {
  if (committed === generated) return undefined
  const [before, after] = [committed.split('\n'), generated.split('\n')]
  let line = 0
  while (before[line] === after[line]) line++
  return { line: line + 1, committed: before[line], generated: after[line] }
}
