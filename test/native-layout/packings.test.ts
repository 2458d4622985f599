/** Each described packing against the functions that pack and unpack. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONSTANTS, ENUMERATIONS, PACKINGS } from '../../src/memory/described/index.ts'
import { KINDS } from '../../src/memory/layout.ts'
import * as journal from '../../src/memory/words/journal.ts'
import * as state from '../../src/memory/words/state.ts'
import * as threads from '../../src/memory/words/threads.ts'
import * as tick from '../../src/memory/words/tick.ts'
import * as timed from '../../src/memory/words/timed.ts'
import * as trials from '../../src/memory/words/trials.ts'
import * as windows from '../../src/memory/words/windows.ts'
import { FAILED_KIND, GOOD, SLOW_KIND } from '../../src/protocol/window.ts'

type Fields = Readonly<Record<string, bigint>>

function packingOf(name: string) {
  const packing = PACKINGS.find(found => found.name === name)
  if (packing === undefined) throw new Error(`no packing ${name}`)
  return packing
}

/** The word by its description, unsigned. */
function build(name: string, given: Fields): bigint {
  const { fields, base = 0 } = packingOf(name)
  const parts = fields.map(field => (given[field.name] ?? 0n) << BigInt(field.shift))
  return parts.reduce((word, part) => word + part, BigInt(base))
}

/** Values that fill the fields of a packing, their ends more often than chance has it. */
function anyFields(name: string): fc.Arbitrary<Fields> {
  const arbitraries = packingOf(name).fields.map(field => {
    const max = (1n << BigInt(field.bits)) - 1n
    const values = fc.oneof(fc.constantFrom(0n, 1n, max - 1n, max), fc.bigInt(0n, max))
    return [field.name, values] as const
  })
  return fc.record(Object.fromEntries(arbitraries))
}

const number = (value: bigint | undefined): number => Number(value ?? 0n)
const unsigned = (word: number | bigint): bigint =>
  typeof word === 'bigint' ? BigInt.asUintN(64, word) : BigInt(word >>> 0)

/** Milliseconds that are stored as just so many microseconds. */
const msOf = (micros: bigint | undefined): number =>
  micros === BigInt(timed.MAX_MICROS) ? Number.POSITIVE_INFINITY : number(micros) / 1000

/** What the functions make of the fields, as it would be packed by the description. */
const PACK: Readonly<Record<string, (fields: Fields) => bigint>> = {
  STATE: f => unsigned(state.packState(number(f.generation), number(f.state))),
  NEXT: f => unsigned(state.packNext(number(f.tag), number(f.state), msOf(f.time))),
  TIMED: f => unsigned(timed.packTimed(number(f.tag), msOf(f.time))),
  TAGGED: f => unsigned(timed.packTagged(number(f.tag), number(f.value))),
  PLACE: f =>
    unsigned(
      trials.packPlace(number(f.generation), number(f.kind), number(f.claim), number(f.slot)),
    ),
  PERMIT: f =>
    BigInt(trials.packTrialPermit(number(f.generation), number(f.place), number(f.claim))),
  THREAD: f =>
    unsigned(
      threads.packThread(f.live === 1n, number(f.epoch), {
        thread: number(f.thread),
        parent: number(f.parent),
      }),
    ),
  ENTRY: f => unsigned(threads.packEntry(number(f.definition) - 1, number(f.lines))),
  KEY: f => {
    const key = { breaker: f.breaker, generation: f.generation, from: f.from, to: f.to }
    const entry = ((number(f.lap) - 1) << journal.LAP_SHIFT) | 0
    return unsigned(journal.packKey(entry, toNumbers(key)))
  },
  BY: f => {
    const flags = [
      f.hand === 1n ? journal.BY_HAND : 0,
      f.announces === 1n ? journal.MAKER_ANNOUNCES : 0,
      f.claimed === 1n ? journal.CLAIMED_BY_LISTENER : 0,
    ]
    return BigInt(
      journal.packBy(
        number(f.thread),
        flags.reduce((sum, flag) => sum + flag),
      ),
    )
  },
  STOCK: f => {
    const before = (number(f.version) - 1) << windows.VERSION_SHIFT
    const left = number(f.left) - windows.STOCK_BIAS
    return unsigned(windows.restock(before, left, f.minimum === 1n))
  },
  RING: f => unsigned(windows.packRing(number(f.generation), number(f.lap), number(f.outcome) - 1)),
  ROW: f => unsigned(windows.packRow(number(f.generation), number(f.failures))),
  TURN: f => unsigned(windows.packTurn(number(f.generation), number(f.number) * 2 ** 30)),
  EPOCH: f => unsigned(windows.packEpoch(number(f.generation), number(f.number))),
}

/** What the functions read out of a word. Fields that none reads alone are left out. */
const UNPACK: Readonly<Record<string, (word: bigint) => Fields>> = {
  STATE: word => ({
    generation: BigInt(state.generationOf(Number(word))),
    state: BigInt(state.stateOf(Number(word))),
  }),
  NEXT: word => ({
    state: BigInt(state.nextStateOf(word)),
    time: timed.toMicros(timed.timeOf(word)),
  }),
  TIMED: word => ({
    tag: BigInt(timed.timedTagOf(word)),
    time: timed.toMicros(timed.timeOf(word)),
  }),
  TAGGED: word => ({ tag: BigInt(timed.highOf(word)), value: BigInt(timed.lowOf(word)) }),
  PLACE: word => toBigInts(trials.unpackPlace(word)),
  PERMIT: word => {
    const { generationLow, ...rest } = trials.unpackTrialPermit(Number(word))
    return toBigInts({ ...rest, generation: generationLow })
  },
  THREAD: word => ({
    live: threads.isLive(word) ? 1n : 0n,
    epoch: BigInt(threads.epochOf(word)),
    ...toBigInts(threads.threadOf(word)),
  }),
  ENTRY: word => ({ lines: BigInt(threads.linesOf(word)) }),
  KEY: word => toBigInts(journal.unpackKey(word)),
  STOCK: word => ({
    minimum: windows.holdsMinimumOf(Number(word)) ? 1n : 0n,
    left: BigInt(windows.stockOf(Number(word)) + windows.STOCK_BIAS),
  }),
  EPOCH: word => ({ generation: BigInt(windows.epochGenerationOf(word)) }),
}

function toNumbers(fields: Record<keyof journal.JournalKey, bigint | undefined>) {
  const { breaker, generation, from, to } = fields
  return {
    breaker: number(breaker),
    generation: number(generation),
    from: number(from),
    to: number(to),
  }
}

function toBigInts(numbers: object): Fields {
  return Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, BigInt(value)]))
}

/** As JavaScript has the word in its hands: a permit is no word. */
function signed(name: string, word: bigint): bigint {
  const { bits } = packingOf(name)
  if (name === 'PERMIT') return word
  return BigInt.asIntN(bits > 32 ? 64 : 32, word)
}

it('describes no packing that is not looked at here', () => {
  expect(PACKINGS.map(({ name }) => name).sort()).toEqual(Object.keys(PACK).sort())
})

describe.each(PACKINGS.map(({ name }) => name))('%s', name => {
  it('has fields side by side, from the highest bit to the lowest', () => {
    const { fields, bits } = packingOf(name)
    let end = bits
    for (const field of fields) {
      expect(field.shift + field.bits).toBe(end)
      end = field.shift
    }
    expect(end).toBe(0)
  })

  it('is what the code packs', () => {
    fc.assert(
      fc.property(anyFields(name), fields => {
        expect(PACK[name]?.(fields)).toBe(build(name, fields))
      }),
    )
  })
})

describe.each(Object.entries(UNPACK))('%s', (name, unpack) => {
  it('is what the code unpacks', () => {
    fc.assert(
      fc.property(anyFields(name), fields => {
        expect(fields).toMatchObject(unpack(signed(name, build(name, fields))))
      }),
    )
  })
})

describe('fields that no function reads alone', () => {
  it('the tag of NEXT says whose it is', () => {
    fc.assert(
      fc.property(anyFields('NEXT'), fields => {
        const word = signed('NEXT', build('NEXT', fields))
        expect(state.isNextOf(word, number(fields.tag))).toBe(true)
        expect(state.isNextOf(word, number(fields.tag) + 1)).toBe(false)
      }),
    )
  })

  it('an entry has the number of its definition', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 2 }), definition => {
        const word = build('ENTRY', { definition: BigInt(definition + 1), lines: 9n })
        expect(threads.definitionOf(word)).toBe(definition)
      }),
    )
  })

  it('stocks of one version differ in what is left of them only', () => {
    const left = fc.bigInt(1n, BigInt(windows.STOCK_BIAS + windows.MAX_STOCK))
    fc.assert(
      fc.property(anyFields('STOCK'), left, left, (fields, one, other) => {
        const words = [one, other].map(value =>
          Number(signed('STOCK', build('STOCK', { ...fields, left: value }))),
        )
        const [a = 0, b = 0] = words
        expect(windows.isSameStock(a, b)).toBe(true)
        expect(windows.isSameStock(a, b + 2 ** windows.VERSION_SHIFT)).toBe(false)
        expect(a - b).toBe(number(one) - number(other))
      }),
    )
  })

  it('a ring word is known by its generation and lap', () => {
    fc.assert(
      fc.property(anyFields('RING'), fields => {
        const word = Number(signed('RING', build('RING', fields)))
        const kind = windows.ringKindOf(word, number(fields.generation), number(fields.lap))
        expect(kind).toBe(number(fields.outcome) - 1)
      }),
    )
  })

  it('a row is known by its generation', () => {
    fc.assert(
      fc.property(anyFields('ROW'), fields => {
        const word = Number(signed('ROW', build('ROW', fields)))
        expect(windows.rowOf(word, number(fields.generation))).toBe(number(fields.failures))
      }),
    )
  })

  it('stamp and turn are the two halves of a bucket number', () => {
    const stampBits = BigInt(windows.STAMP_BITS)
    const [turns] = packingOf('TURN').fields
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 36n - 1n), bucket => {
        expect(BigInt(windows.stampOf(Number(bucket)))).toBe(BigInt.asUintN(30, bucket))
        const rest = BigInt.asUintN(turns?.bits ?? 0, bucket >> stampBits)
        const turn = unsigned(windows.packTurn(7, Number(bucket)))
        expect(turn).toBe(build('TURN', { number: rest, generation: 7n }))
      }),
    )
  })
})

describe('numbers', () => {
  const named = [...CONSTANTS, ...ENUMERATIONS.flatMap(({ values }) => values)]
  const valueNamed = (name: string) => named.find(found => found.name === name)?.value

  it('have names of their own', () => {
    expect(new Set(named.map(({ name }) => name)).size).toBe(named.length)
  })

  it('have the states and kinds that users see', () => {
    const states = ENUMERATIONS.find(({ name }) => name === 'state')?.values
    const names = states?.map(({ name }) => name.toLowerCase().replace('_', '-'))
    expect(names).toEqual(state.STATE_NAMES)
    expect(states?.map(({ value }) => value)).toEqual(state.STATE_NAMES.map((_, index) => index))
    const kinds = [GOOD, FAILED_KIND, SLOW_KIND, SLOW_KIND | FAILED_KIND]
    const described = ['GOOD', 'FAILED', 'SLOW', 'SLOW_FAILED'].map(kind =>
      valueNamed(`KIND_${kind}`),
    )
    expect(described).toEqual(kinds)
    expect(kinds).toHaveLength(KINDS)
  })

  it('keep native threads apart from dead ones and from those of Node', () => {
    const native = { thread: threads.FIRST_NATIVE_THREAD, parent: threads.NO_PARENT }
    const word = threads.packThread(true, 3, native)
    expect(threads.threadOf(word)).toEqual(native)
    expect(threads.isDead(word)).toBe(false)
    expect(threads.isDead(threads.markedDead(word))).toBe(true)
    expect(threads.threadOf(threads.markedDead(word)).parent).toBe(threads.DEAD_PARENT)
    expect(threads.NO_PARENT).toBeGreaterThan(threads.FIRST_NATIVE_THREAD)
  })

  it('have the last tick before the first', () => {
    expect(tick.nextTick(tick.LAST_TICK)).toBe(tick.FIRST_TICK)
    expect(tick.nextTick(tick.LAST_TICK - 1)).toBe(tick.LAST_TICK)
  })
})
