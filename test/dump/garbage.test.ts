/** Whatever stands in a file, the reader answers: a region with findings, or one line. No throw. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readRegion, UnreadableError } from '../../src/inspect/file.ts'
import { textOf } from '../../src/inspect/text.ts'
import { type RegionView, viewOf } from '../../src/inspect/view.ts'
import { Random } from '../model/random.ts'
import { makeFolder, makeStates } from './support.ts'

const HEADER_WORDS = 128
const VALUES = [0, 1, -1, 2 ** 31 - 1, 0x7ff00000]

function bytesOf(): Int32Array<ArrayBuffer> {
  const { buffer } = makeStates().handle
  const words = new Int32Array(buffer.byteLength / 4)
  words.set(new Int32Array(buffer))
  return words
}

/** The view, or undefined when the file is refused. Anything else that is thrown fails the test. */
function look(file: string, words: Int32Array): RegionView | undefined {
  writeFileSync(file, new Uint8Array(words.buffer))
  try {
    const view = viewOf(readRegion(file))
    expect(textOf(file, view, view.breakers)).toMatch(/^findings: /m)
    expect(JSON.stringify(view)).toMatch(/"findings":/)
    return view
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error
    expect(error.message).not.toContain('\n')
    return undefined
  }
}

it('with any word of the header overwritten', () => {
  const file = join(makeFolder(), 'region')
  const sound = bytesOf()
  for (let word = 0; word < HEADER_WORDS; word++) {
    for (const value of VALUES) {
      const words = sound.slice()
      words[word] = value
      look(file, words)
    }
  }
  expect(look(file, sound)?.findings).toEqual([])
})

it.each([1, 2, 3, 4])('with words overwritten at random, seed %s', seed => {
  const file = join(makeFolder(), 'region')
  const random = new Random(seed)
  const sound = bytesOf()
  let refused = 0
  let found = 0
  for (let turn = 0; turn < 80; turn++) {
    const words = sound.slice()
    // Words that are not zero are those that mean something: aim at them half of the time.
    const used = [...words.keys()].filter(at => at >= HEADER_WORDS && words[at] !== 0)
    for (let hit = 0; hit < 1 + (turn % 20); hit++) {
      const anywhere = random.between(HEADER_WORDS, words.length - 1)
      const at = random.chance(0.5) ? anywhere : random.pick(used)
      words[at] = random.chance(0.5) ? random.between(0, 2 ** 32 - 1) : random.pick(VALUES)
    }
    const view = look(file, words)
    if (view === undefined) refused++
    else if (view.findings.length > 0) found++
  }
  expect(refused).toBe(0)
  expect(found).toBeGreaterThan(50)
})

it('with nothing but noise behind a sound header, and nothing but noise', () => {
  const file = join(makeFolder(), 'region')
  const random = new Random(5)
  const sound = bytesOf()
  for (let turn = 0; turn < 5; turn++) {
    const words = sound.slice()
    const from = turn === 0 ? 0 : HEADER_WORDS
    for (let at = from; at < words.length; at++) words[at] = random.between(0, 2 ** 32 - 1)
    const view = look(file, words)
    if (turn === 0) expect(view).toBeUndefined()
    else expect(view?.findings.length).toBeGreaterThan(10)
  }
})
