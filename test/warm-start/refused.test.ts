/** What is no export of this version is refused with its reason, and nothing is made. */
import { describe, expect, it } from 'vitest'
import {
  attachRegistry,
  createRegistry,
  InvalidOptionError,
  type RegistryHandle,
  type RegistryImport,
} from '../../src/index.ts'
import { start } from './support.ts'

const ONE = { name: 'b', state: 'open', openings: 1, remainingMs: 5 }

function of(...breakers: unknown[]): unknown {
  return { busbar: 1, breakers }
}

function messageOf(given: unknown): string {
  try {
    start({ import: given as RegistryImport })
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidOptionError)
    return (error as Error).message
  }
  throw new Error('it was accepted')
}

const AT = 'options.import'
const BAD: [string, unknown, string][] = [
  ['nothing', null, `${AT} must be what registry.export() gave, as an object; got null`],
  ['a text', '{"busbar":1}', `${AT} must be what registry.export() gave, as an object; got "{`],
  ['a list', [], `${AT} must be what registry.export() gave`],
  // As opossum's toJSON gives it.
  ['a foreign one', { state: { name: 'b', open: true } }, `${AT} must be what registry.export()`],
  [
    'a handle',
    createRegistry({ keeper: false }).handle,
    `${AT}.buffer must be left out: there is no such option`,
  ],
  ['a later format', { busbar: 2, states: [] }, `${AT}.busbar must be 1: this copy of busbar`],
  ['no format', { busbar: 'x', breakers: [] }, `${AT}.busbar must be 1`],
  ['no breakers', { busbar: 1 }, `${AT}.breakers must be an array of at most 65536 breakers`],
  ['too many', { busbar: 1, breakers: Array(65_537) }, `${AT}.breakers must be an array of at`],
  ['a hole', { busbar: 1, breakers: Array(1) }, `${AT}.breakers[0] must be an object; got undef`],
  ['an age of yesterday', { busbar: 1, breakers: [], ageMs: -1 }, `${AT}.ageMs must be a number`],
  ['no name', of({ ...ONE, name: undefined }), `${AT}.breakers[0].name must be a string of at`],
  ['an empty name', of({ ...ONE, name: '' }), `${AT}.breakers[0].name must be a string of at`],
  ['a long name', of({ ...ONE, name: 'n'.repeat(256) }), 'at most 255 bytes of UTF-8, not 256'],
  ['half a character', of({ ...ONE, name: '\ud800' }), 'a well-formed string'],
  ['one name twice', of(ONE, ONE), `${AT}.breakers[1].name must be there only once; got "b"`],
  ['a state unheard of', of({ ...ONE, state: 'ajar' }), `${AT}.breakers[0].state must be one of`],
  ['a state that is none', of({ ...ONE, state: 'half-open' }), 'got "half-open"'],
  [
    'no openings',
    of({ ...ONE, openings: undefined }),
    `${AT}.breakers[0].openings must be a whole`,
  ],
  ['0 openings of an open one', of({ ...ONE, openings: 0 }), 'a whole number from 1 to 4294967295'],
  ['half an opening', of({ ...ONE, openings: 1.5 }), 'a whole number from 1'],
  ['too many openings', of({ ...ONE, openings: 2 ** 32 }), 'a whole number from 1'],
  ['no wait', of({ ...ONE, remainingMs: undefined }), `${AT}.breakers[0].remainingMs must be a`],
  ['no number', of({ ...ONE, remainingMs: Number.NaN }), 'remainingMs must be a number from 0 to'],
  ['a wait without end', of({ ...ONE, remainingMs: null }), 'remainingMs must be a number from 0'],
  ['a wait of text', of({ ...ONE, remainingMs: '5' }), 'remainingMs must be a number from 0 to'],
  ['a wait behind us', of({ ...ONE, remainingMs: -1 }), 'remainingMs must be a number from 0 to'],
  ['a wait for nothing', of({ ...ONE, state: 'disabled' }), 'left out: a disabled breaker waits'],
  ['a reason too long', of({ ...ONE, reason: 'r'.repeat(129) }), 'at most 128 bytes of UTF-8'],
  ['a reason of numbers', of({ ...ONE, reason: 5 }), `${AT}.breakers[0].reason must be a well-`],
  ['options', of({ ...ONE, options: {} }), `${AT}.breakers[0].options must be left out: there is`],
]

describe('an import', () => {
  it.each(BAD)('of %s is refused', (_, given, message) => {
    expect(messageOf(given)).toContain(message)
  })

  it('of a state that is no string says which there are', () => {
    const message = messageOf(of({ ...ONE, state: 1 }))
    expect(message).toContain("one of 'open', 'forced-open', 'disabled', 'metrics-only'; got 1")
  })

  it('of nothing but a format is one of a registry without open breakers', () => {
    const registry = start({ import: { busbar: 1, breakers: [] } })
    expect(registry.handle).not.toHaveProperty('warmStart')
    expect(registry.export()).toEqual({ busbar: 1, breakers: [] })
  })
})

describe('a handle', () => {
  const marks = new SharedArrayBuffer(8)
  it.each([
    ['states that are none', { breakers: [{ name: 'b' }], marks }, 'breakers[0].state must be one'],
    ['no marks', { breakers: [], marks: undefined }, 'has no marks for its breakers'],
    ['too few marks', { breakers: [], marks }, 'has no marks for its breakers'],
    ['marks of its own', { breakers: [ONE], marks: new ArrayBuffer(8) }, 'has no marks'],
    ['no warm start at all', 5, 'handle.warmStart.breakers must be an array'],
  ])('with %s in its warm start is refused', (_, warmStart, message) => {
    const { handle } = start({ import: of(ONE) as RegistryImport })
    const damaged = { ...handle, warmStart } as unknown as RegistryHandle
    expect(() => attachRegistry(damaged)).toThrow(message)
  })
})
