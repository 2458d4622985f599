/** Reads the migration pages: their tables and their snippets. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export const PAGES = ['cockatiel', 'resilience4j', 'polly'] as const

export function readPage(name: string): string {
  return readFileSync(`${ROOT}/docs/migration/${name}.md`, 'utf8')
}

/** What a page says that busbar takes: one piece of code of a table's second column. */
export interface Claim {
  readonly row: string
  /** A whole expression: the table's head says where an option stands. */
  readonly expression: string
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map(cell => cell.trim())
}

function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

/** The rows of every table, each as an object of its cells by column. */
function tablesOf(page: string): { head: string[]; rows: string[][] }[] {
  return [...page.matchAll(/^\|.*\n\|[-|]+\n((?:\|.*\n?)+)/gm)].map(([table]) => {
    const [head = '', , ...rows] = table.trimEnd().split('\n')
    return { head: cellsOf(head), rows: rows.map(cellsOf) }
  })
}

export function claimsOf(page: string): Claim[] {
  return tablesOf(page).flatMap(({ head, rows }) => {
    const [template = '...'] = codeIn(head[1] ?? '')
    return rows.flatMap(([row = '', busbar = '']) =>
      codeIn(busbar).map(code => ({ row, expression: template.replace('...', code) })),
    )
  })
}

/** Rows that are not of three cells: a `|` too many or too few. */
export function brokenRowsOf(page: string): string[][] {
  return tablesOf(page).flatMap(({ head, rows }) => [head, ...rows].filter(row => row.length !== 3))
}

export interface Snippet {
  readonly text: string
  /** What it says it prints: the comment behind each console.log. */
  readonly prints: readonly string[]
}

export function snippetsOf(page: string): Snippet[] {
  return [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text = '']) => {
    const lines = [...text.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm)]
    return { text, prints: lines.map(([, line = '']) => line) }
  })
}
