import { expect, test } from 'vitest'
import { runScript } from './run-example.ts'

/** What each thread says after each content of the file, of its ten calls. */
const AT_FIRST = 'opens at 50 %; 7 served, 3 failed, 0 refused'
const OPENS = 'opens at 20 %; 1 served, 0 failed, 9 refused'
const IS_OPEN = 'opens at 20 %; 0 served, 0 failed, 10 refused'

test('a file gives breakers other options in all threads, or is refused as a whole', async () => {
  const said = parse(await runScript('examples/live-options/main.mjs'))
  expect(said).toEqual([
    ['applied', AT_FIRST, AT_FIRST],
    [expect.stringMatching(/^refused: .*JSON/), AT_FIRST, AT_FIRST],
    // Of two breakers it has good options for the first.
    [expect.stringMatching(/^refused: .*failureRateThreshold.* got 20$/), AT_FIRST, AT_FIRST],
    [expect.stringMatching(/^refused: slidingWindow .*cannot change/), AT_FIRST, AT_FIRST],
    ['refused: no breaker is named "stok"', AT_FIRST, AT_FIRST],
    // The window stays as it was: the next outcome opens, for both threads.
    ['applied', OPENS, IS_OPEN],
  ])
})

/** What was said about each content: what the watcher reported, then what each thread met. */
function parse(text: string): string[][] {
  const blocks = text.trimEnd().split(/^\{.*\n/m)
  return blocks.slice(1).map(block =>
    block
      .trimEnd()
      .split('\n')
      .map(line => line.trim().replace(/^thread \d+: /, '')),
  )
}
