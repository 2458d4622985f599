/** Text in TAGGED words: its length in bytes, then four bytes a word, the first lowest. */
import { field, type Parts } from './format.ts'
import { CERTAIN } from './report.ts'

const BYTES = 128
export const TEXT_WORDS = 2 + (BYTES / 4) * 2

/** Of no text that could be asked for: only the length is looked at. */
export const NO_TAG = -1

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text at word `start`, if its head has the tag: all of it is there then, and it is UTF-8. */
export function checkText(
  parts: Parts,
  start: number,
  tag: number,
  say: (word: number, sentence: string, certain?: boolean) => void,
): void {
  const tagAt = (word: number): number => field(parts.long(word), 32, 32)
  const length = field(parts.long(start), 0, 32)
  if (length > BYTES) {
    say(start, `says ${length} bytes, more than ${BYTES}`, CERTAIN)
    return
  }
  if (tagAt(start) !== tag) return
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at++) {
    const word = start + 2 + (at >> 2) * 2
    if (tagAt(word) !== tag) {
      say(word, `is tagged ${tagAt(word)}, its head ${tag}`)
      return
    }
    bytes[at] = field(parts.long(word), (at & 3) * 8, 8)
  }
  try {
    decoder.decode(bytes)
  } catch {
    say(start, `is ${Buffer.from(bytes).toString('hex')}, not UTF-8`, CERTAIN)
  }
}
