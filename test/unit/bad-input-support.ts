/** What the tests of bad input share. */
import { expect } from 'vitest'
import { InvalidOptionError } from '../../src/index.ts'
import { thrownBy } from './execute-support.ts'

/** A value and what to call it. */
export type Named = readonly [string, unknown]

/** What is not a number, though some of it converts to a good one. */
export const NOT_NUMBERS: readonly Named[] = [
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['a string of digits', '1'],
  ['an empty string', ''],
  ['null', null],
  ['true', true],
  ['false', false],
  ['a bigint', 1n],
  ['an object', {}],
  ['an object that converts', { valueOf: () => 1 }],
  ['an array', [1]],
  ['a date', new Date(1)],
  ['a number object', new Number(1)],
  ['a symbol', Symbol('1')],
  ['a function', () => 1],
]

export const NOT_OBJECTS: readonly Named[] = [
  ['null', null],
  ['a number', 5],
  ['a string', 'time'],
  ['true', true],
  ['false', false],
  ['an array', []],
  ['a symbol', Symbol('s')],
  ['a function', () => ({})],
  ['a bigint', 1n],
]

interface Refusal {
  readonly option: string
  readonly value: unknown
  readonly limit: RegExp
}

/** Refused with InvalidOptionError that names the option, its value and the limit. */
export function expectRefused(fn: () => unknown, { option, value, limit }: Refusal): void {
  const error = thrownBy(fn)
  expect(error).toBeInstanceOf(InvalidOptionError)
  if (!(error instanceof InvalidOptionError)) return
  expect(error.code).toBe('ERR_INVALID_OPTION')
  expect(error.option).toBe(option)
  expect(error.value).toBe(value)
  expect(error.message).toMatch(limit)
  expect(error.message.startsWith(`${option} must be `)).toBe(true)
  if (typeof value === 'number') expect(error.message).toContain(`; got ${String(value)}`)
}
