/** Reads the options of a breaker, the local ones included, and breakers' names. */
import { InvalidOptionError } from '../errors.ts'
import { MAX_NAME_BYTES } from '../memory/layout.ts'
import { booleanOf, type Fields, functionOf, numberOf, readFields, TIMER_DURATION } from './read.ts'
import { SHARED_KEYS } from './shared.ts'
import type { LocalOptions } from './types.ts'

export const LOCAL_KEYS = ['isFailure', 'classifyError', 'timeoutMs', 'measureDurations'] as const

/** Local options with nothing left undefined but what is off. */
export interface ResolvedLocal {
  readonly isFailure: ((result: unknown) => boolean) | undefined
  readonly classifyError: ((error: unknown) => 'failure' | 'ignored') | undefined
  readonly timeoutMs: number | undefined
  readonly measureDurations: boolean | undefined
}

export const NO_LOCAL: ResolvedLocal = Object.freeze({
  isFailure: undefined,
  classifyError: undefined,
  timeoutMs: undefined,
  measureDurations: undefined,
})

/** Every option of a breaker. */
export const BREAKER_KEYS = [...SHARED_KEYS, ...LOCAL_KEYS, 'optionSet'] as const

export function readBreakerFields(what: string, options: unknown): Fields {
  return readFields(what, options, BREAKER_KEYS)
}

export function hasLocal(fields: Fields): boolean {
  return LOCAL_KEYS.some(key => fields.has(key))
}

/** The local ones of `fields` over `base`. */
export function resolveLocal(what: string, fields: Fields, base: ResolvedLocal): ResolvedLocal {
  const timeoutMs = numberOf(
    what,
    fields,
    'timeoutMs',
    TIMER_DURATION,
    base.timeoutMs ?? Number.NaN,
  )
  const isFailure = functionOf(what, fields, 'isFailure') as LocalOptions['isFailure']
  const classifyError = functionOf(what, fields, 'classifyError') as LocalOptions['classifyError']
  return Object.freeze({
    isFailure: isFailure ?? base.isFailure,
    classifyError: classifyError ?? base.classifyError,
    timeoutMs: timeoutMs > 0 ? timeoutMs : undefined,
    measureDurations: booleanOf(what, fields, 'measureDurations') ?? base.measureDurations,
  })
}

const encoder = new TextEncoder()

/** A breaker's name as bytes. Refuses empty, over-long and not well-formed ones. */
export function encodeName(name: unknown): Uint8Array {
  if (typeof name !== 'string' || name.length === 0) {
    throw new InvalidOptionError('name', name, 'a string of at least one character')
  }
  return encodeText('name', name, MAX_NAME_BYTES)
}

/** Text as at most `maxBytes` of UTF-8. Lone surrogates would read back changed: refused. */
export function encodeText(what: string, text: unknown, maxBytes: number): Uint8Array {
  if (typeof text !== 'string' || !text.isWellFormed()) {
    throw new InvalidOptionError(what, text, 'a well-formed string (no lone surrogates)')
  }
  const bytes = encoder.encode(text)
  if (bytes.length <= maxBytes) return bytes
  throw new InvalidOptionError(
    what,
    text,
    `at most ${maxBytes} bytes of UTF-8, not ${bytes.length}`,
  )
}
