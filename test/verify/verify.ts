/**
 * Checks a region at rest: no thread is in the midst of an operation. Lists every invariant that is
 * violated as a sentence naming breaker, word and value; an empty list is a clean region.
 *
 * Written from native-layout/layout.md and the arguments in docs/protocol.md; nothing is imported
 * from src/. `quiet`: every permit is settled as well, so nothing may be in flight. `deaths`:
 * somebody died in the midst of an operation, so what a death may leave half done is legal:
 * a decision that nobody has published, details of that generation, a claim without a lease, a
 * verdict not carried out, an index taken and not written, a bucket in the midst of its turn, a slot
 * that is marked dead.
 */
import { checkDirectory, checkHeader, checkThreads, type Entry } from './directory.ts'
import { Parts } from './format.ts'
import type { Options, Subject } from './report.ts'
import { checkControl, checkDetails, checkTrials } from './state.ts'
import { checkTotals } from './totals.ts'
import { checkWindow } from './windows.ts'

export function verify(buffer: SharedArrayBuffer, options: Options = {}): string[] {
  const violations: string[] = []
  const say = (sentence: string): void => {
    violations.push(sentence)
  }
  if (buffer.byteLength < 256 || buffer.byteLength % 8 !== 0) {
    return [`the buffer has ${buffer.byteLength} bytes: no header`]
  }
  const parts = new Parts(buffer)
  if (!checkHeader(parts, say)) return violations
  const holders = checkThreads(parts, options, say)
  const liveSlots = new Set(holders.keys())
  for (const entry of checkDirectory(parts, options, holders, say)) {
    checkBreaker(subjectOf(parts, options, entry, say), liveSlots)
  }
  return violations
}

function subjectOf(
  parts: Parts,
  options: Options,
  entry: Entry,
  say: (sentence: string) => void,
): Subject {
  const { name, numbers, shape, record } = entry
  const word = parts.word(record)
  return {
    parts,
    options,
    numbers,
    shape,
    record,
    generation: (word >>> 3) & 0xfffffff,
    state: word & 7,
    say: (at, what, sentence) => say(`breaker "${name}", word ${at}, ${what} ${sentence}`),
  }
}

function checkBreaker(subject: Subject, liveSlots: ReadonlySet<number>): void {
  checkControl(subject)
  checkDetails(subject)
  checkTrials(subject, liveSlots)
  checkWindow(subject)
  checkTotals(subject, liveSlots)
}
