/**
 * Checks a region at rest: no thread is in the midst of an operation. Lists every invariant that is
 * violated as a sentence naming breaker, word and value; an empty list is a clean region. A keeper
 * may work on meanwhile: a copy is looked at, and the clock read after it, so no time is too late.
 *
 * Written from native-layout/layout.md and the arguments in docs/protocol.md; of the rest of src/
 * only the door to memory and the clock are used. `quiet`: every permit is settled as well, so
 * nothing may be in flight. `deaths`: somebody died in the midst of an operation, so what a death
 * may leave half done is legal: a decision that nobody has published, details of that generation,
 * its count and its entry, an entry beyond JOURNAL_HEAD or without details, a claim without a
 * lease, a verdict not carried out, an index taken and not written, a bucket in the midst of its
 * turn, a duration counted and nothing else of its call, a slot that is marked dead, a breaker that
 * is being made, a definition that no entry names any more, an edition that STATE does not say.
 *
 * A region that was copied while threads worked is not of one moment: words that should fit each
 * other may not. A finding says whether that could be its cause.
 */
import { checkAges } from './ages.ts'
import { checkControls } from './controls.ts'
import { checkDirectory, checkThreads } from './directory.ts'
import { field, HEADER_WORDS, Parts } from './format.ts'
import { BREAKERS, type BreakerEntry, generationOf } from './format-breaker.ts'
import { checkHeader, checkPresence } from './header.ts'
import { checkJournal, type Standing } from './journal.ts'
import { CERTAIN, type Finding, type Options, type Say, type Subject } from './report.ts'
import { checkDetails, checkState, checkTrials, SINCE } from './state.ts'
import { checkTallies } from './tallies.ts'
import { checkTotals } from './totals.ts'
import { checkTransitions } from './transitions.ts'
import { checkWindow } from './windows.ts'

export function verify(buffer: SharedArrayBuffer, options: Options = {}): string[] {
  return findingsOf(buffer, options).map(({ sentence }) => sentence)
}

export function findingsOf(buffer: SharedArrayBuffer, options: Options = {}): Finding[] {
  const findings: Finding[] = []
  const say: Say = (sentence, certain = false) => {
    findings.push({ sentence, certain })
  }
  if (buffer.byteLength < HEADER_WORDS * 4 || buffer.byteLength % 8 !== 0) {
    say(`the buffer has ${buffer.byteLength} bytes: no header`, CERTAIN)
    return findings
  }
  const parts = new Parts(options.now === undefined ? buffer.slice(0) : buffer, options.now)
  if (!checkHeader(parts, say)) return findings
  const holders = checkThreads(parts, options, say)
  checkPresence(parts, say)
  const liveSlots = new Set(holders.keys())
  const standings = new Map<number, Standing>()
  for (const entry of checkDirectory(parts, BREAKERS, options, holders, say)) {
    const subject = subjectOf(parts, options, entry, say)
    standings.set(entry.index, standingOf(subject, entry))
    if (entry.isSound) checkBreaker(subject, liveSlots)
  }
  checkJournal(parts, options, standings, say)
  checkControls(parts, options, holders, say)
  return findings
}

function standingOf(subject: Subject, entry: BreakerEntry): Standing {
  const { parts, record, generation } = subject
  const long = parts.long(record + SINCE + (generation & 1) * 2)
  const isSaid = field(long, 51, 13) === generation % 8192 && entry.created >= 0
  // Nothing is before its breaker.
  const since = isSaid ? Math.max(field(long, 0, 51), Math.round(entry.created * 1000)) : undefined
  const { first, isToBegin, removal, state, mostTrials } = subject
  return { generation, first, isToBegin, removal, state, since, mostTrials }
}

function subjectOf(parts: Parts, options: Options, entry: BreakerEntry, say: Say): Subject {
  const { name, record, removal, first, edition } = entry
  const word = parts.word(record)
  return {
    ...entry,
    parts,
    options,
    generation: generationOf(word),
    state: word & 7,
    isToBegin: removal === 'to begin',
    isAsMade: first === 0 && edition === 1,
    say: (at, what, sentence, certain) =>
      say(`breaker "${name}", word ${at}, ${what} ${sentence}`, certain),
  }
}

function checkBreaker(subject: Subject, liveSlots: ReadonlySet<number>): void {
  checkState(subject)
  checkDetails(subject)
  checkTransitions(subject)
  checkTrials(subject, liveSlots)
  checkWindow(subject)
  checkTotals(subject, liveSlots)
  checkTallies(subject)
  checkAges(subject, liveSlots)
}
