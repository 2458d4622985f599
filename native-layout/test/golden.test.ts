/**
 * Golden bytes: a region that some earlier JavaScript made, in golden.hex, and what is to be read
 * in it, in golden.txt. Both languages of today read that, and JavaScript still makes those bytes.
 *
 * After a change of the format: BUSBAR_GOLDEN=write npx vitest run native-layout/test/golden
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { attachRegistry } from '../../src/index.ts'
import { buildProgram, findCompiler, run } from './build.ts'
import { describeGolden, fromHex, makeGolden } from './golden.ts'
import { fileOf } from './regions.ts'
import { needs } from './support.ts'

const HEX = new URL('golden.hex', import.meta.url)
const TEXT = new URL('golden.txt', import.meta.url)

if (process.env.BUSBAR_GOLDEN === 'write') {
  const golden = makeGolden()
  writeFileSync(HEX, golden.hex)
  writeFileSync(TEXT, golden.text)
}
const hex = readFileSync(HEX, 'utf8')
const text = readFileSync(TEXT, 'utf8')

it('JavaScript makes the same bytes, but for seed and origin', () => {
  expect(makeGolden()).toEqual({ hex, text })
})

it('JavaScript reads in them what is to be read', () => {
  const registry = attachRegistry({ busbar: 1, buffer: fromHex(hex) })
  expect(describeGolden(registry)).toBe(text)
  registry.close()
})

it('C reads in them what is to be read', context => {
  const built = buildProgram(findCompiler(), ['golden.c'])
  if (!('path' in built)) return needs(context, built.why)
  expect(run(built.path, [fileOf(new Uint8Array(fromHex(hex)))])).toBe(text)
})
