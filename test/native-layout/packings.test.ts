/** Each described packing against the functions that pack and unpack. */
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PACKINGS } from '../../src/memory/described/index.ts'
import { AGE_BUCKETS } from '../../src/memory/layout.ts'
import * as ages from '../../src/memory/words/ages.ts'
import * as bulkhead from '../../src/memory/words/bulkhead.ts'
import * as hosts from '../../src/memory/words/hosts.ts'
import * as journal from '../../src/memory/words/journal.ts'
import * as state from '../../src/memory/words/state.ts'
import * as threads from '../../src/memory/words/threads.ts'
import * as throttle from '../../src/memory/words/throttle.ts'
import * as timed from '../../src/memory/words/timed.ts'
import * as trials from '../../src/memory/words/trials.ts'
import * as windows from '../../src/memory/words/windows.ts'
import {
  anyFields,
  build,
  type Fields,
  msOf,
  number,
  packingOf,
  signed,
  unsigned,
} from './packing.ts'

/** What the functions make of the fields, as it would be packed by the description. */
const PACK: Readonly<Record<string, (fields: Fields) => bigint>> = {
  STATE: f => unsigned(state.packState(number(f.generation), number(f.state), number(f.edition))),
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
  ENTRY: f =>
    unsigned(threads.packEntry(number(f.edition), number(f.definition) - 1, number(f.lines))),
  MAKING: f =>
    unsigned(
      threads.packMaking({
        sequence: number(f.sequence),
        definition: number(f.definition) - 1,
        entry: number(f.entry),
      }),
    ),
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
  PROBABILITY: f => unsigned(throttle.packRejection(number(f.round), number(f.probability))),
  WAITING: f => {
    const before = (number(f.version) - 1) << 1
    const joined = bulkhead.withAny(before)
    return unsigned(f.any === 1n ? joined : bulkhead.withoutAny(joined))
  },
  EJECTION: f => unsigned(hosts.packEjection(number(f.episode), number(f.row), number(f.until))),
  EJECTED: f => unsigned(hosts.packPlace(number(f.host) - 1, number(f.episode))),
  AGED: f => unsigned(ages.packAgeCount(number(f.epoch), number(f.calls))),
  // The lowest bits of a stamp's lap; places end before the field does.
  AGED_PERMIT: f => {
    const place = number(f.place) % AGE_BUCKETS
    const stamp = number(f.lap) * AGE_BUCKETS + place
    const permit = unsigned(ages.packAgedPermit(number(f.generation), stamp))
    return permit + (unsigned(number(f.place) - place) << BigInt(ages.AGE_GENERATION_BITS))
  },
}

/** What the functions read out of a word. Fields that none reads alone are left out. */
const UNPACK: Readonly<Record<string, (word: bigint) => Fields>> = {
  STATE: word => ({
    generation: BigInt(state.generationOf(Number(word))),
    edition: BigInt(state.editionOf(Number(word))),
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
  ENTRY: word => ({
    edition: BigInt(threads.editionOfEntry(word)),
    definition: BigInt(threads.definitionOf(word) + 1),
    lines: BigInt(threads.linesOf(word)),
  }),
  MAKING: word => {
    const { sequence, definition, entry } = threads.unpackMaking(word)
    return toBigInts({ sequence, definition: definition + 1, entry })
  },
  KEY: word => toBigInts(journal.unpackKey(word)),
  STOCK: word => ({
    minimum: windows.holdsMinimumOf(Number(word)) ? 1n : 0n,
    left: BigInt(windows.stockOf(Number(word)) + windows.STOCK_BIAS),
  }),
  EPOCH: word => ({ generation: BigInt(windows.epochGenerationOf(word)) }),
  PROBABILITY: word => ({ probability: BigInt(throttle.rejectionOf(Number(word))) }),
  WAITING: word => ({ any: bulkhead.saysAny(Number(word)) ? 1n : 0n }),
  EJECTION: word => ({
    episode: BigInt(hosts.episodeOf(word)),
    row: BigInt(hosts.inARowOf(word)),
    until: BigInt(hosts.untilOf(word)),
  }),
  EJECTED: word => ({
    host: BigInt(hosts.placeHostOf(Number(word)) + 1),
    episode: BigInt(hosts.placeEpisodeOf(Number(word))),
  }),
  AGED_PERMIT: word => ({ place: BigInt(ages.placeOfPermit(Number(word))) }),
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
