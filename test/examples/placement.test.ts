import { expect, test } from 'vitest'
import { runScript } from './run-example.ts'

const HEAD =
  'threshold / key | breakers | open | notification calls | send | remind | cancel | catalog'

const ONE_THREAD = [
  '3 / dependency | 2 | 1 | 3 | 2 | 1 | 0 | 60',
  '3 / call site | 4 | 3 | 9 | 3 | 3 | 3 | 60',
  '5 / dependency | 2 | 1 | 5 | 3 | 2 | 0 | 60',
  '5 / call site | 4 | 2 | 13 | 5 | 5 | 3 | 60',
  '10 / dependency | 2 | 1 | 10 | 5 | 5 | 0 | 60',
  '10 / call site | 4 | 2 | 23 | 10 | 10 | 3 | 60',
]

// Each of the four threads sees every fourth loan. With breakers of its own it makes all the calls
// that one thread alone would make: four times the breakers, open breakers and calls. Shared
// breakers see all loans in the order in which they come: the rows are those of one thread.
const FOUR_THREADS = [
  '3 / dependency, per thread | 8 | 4 | 12 | 8 | 4 | 0 | 60',
  '3 / dependency, shared | 2 | 1 | 3 | 2 | 1 | 0 | 60',
  '5 / dependency, per thread | 8 | 4 | 20 | 12 | 8 | 0 | 60',
  '5 / dependency, shared | 2 | 1 | 5 | 3 | 2 | 0 | 60',
  '10 / dependency, per thread | 8 | 4 | 40 | 20 | 20 | 0 | 60',
  '10 / dependency, shared | 2 | 1 | 10 | 5 | 5 | 0 | 60',
]

test('the placement demo prints exactly these calls for each placement of the breakers', async () => {
  const rows = tableRows(await runScript('examples/placement/main.mjs'))
  expect(rows).toEqual([HEAD, ...ONE_THREAD, HEAD, ...FOUR_THREADS])
})

/** The rows of all tables in the text, without the rules under their heads. */
function tableRows(text: string): string[] {
  const rows = text.split('\n').filter(line => /^\|[^-]/.test(line))
  return rows.map(row =>
    row
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim())
      .join(' | '),
  )
}
