/** Text in TAGGED words: its length in bytes, then four bytes a word, lowest bits first. */
import { load64 } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { MAX_REASON_BYTES } from '../memory/layout.ts'
import { isTaggedOf, lowOf } from '../memory/words/timed.ts'

/** The words after the length. */
export function textWords(bytes: Uint8Array): number[] {
  return Array.from({ length: Math.ceil(bytes.length / 4) }, (_, index) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(index * 4, index * 4 + 4)
    return a | (b << 8) | (c << 16) | (d << 24)
  })
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text at long `start`; undefined where one of its words has another tag. */
export function readText(memory: Memory, start: number, tag: number): string | undefined {
  const head = load64(memory, start)
  if (!isTaggedOf(head, tag)) return undefined
  const length = Math.min(lowOf(head), MAX_REASON_BYTES)
  const bytes = new Uint8Array(length)
  for (let at = 0; at < length; at += 4) {
    const word = load64(memory, start + 1 + at / 4)
    if (!isTaggedOf(word, tag)) return undefined
    for (let byte = at; byte < Math.min(at + 4, length); byte++) {
      bytes[byte] = (lowOf(word) >>> ((byte - at) * 8)) & 0xff
    }
  }
  return decoder.decode(bytes)
}
