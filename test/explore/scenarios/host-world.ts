/** A small group of hosts for scenarios, and what must hold of its places. */
import { CONTROL, CONTROL_KIND, HOST, HOST_GROUP } from '../../../src/memory/controls.ts'
import { HEADER } from '../../../src/memory/layout.ts'
import {
  episodeOf,
  inARowOf,
  placeEpisodeOf,
  placeHostOf,
  untilOf,
} from '../../../src/memory/words/hosts.ts'
import type { HostGroupOptions } from '../../../src/overload/types.ts'
import { HostsCore } from '../../../src/protocol/hosts.ts'
import { type ControlWorld, checkSound, controlWorld } from '../control-world.ts'
import { check } from '../scenario.ts'

export const INTERVAL_MS = 1000
const MAX_EJECTION_MS = 5000
export const NAMES = ['a', 'b', 'c'] as const
export type Name = (typeof NAMES)[number]

export interface HostsWorld extends ControlWorld {
  /** Where each host's EJECTION stands. */
  readonly longs: Readonly<Record<Name, number>>
  readonly numbers: ReadonlyMap<number, Name>
  coreOf(slot: number): HostsCore
}

/** A group of three hosts that fill the directory, each with one success in interval 0. */
export function hostsWorld(options: HostGroupOptions): HostsWorld {
  const made = controlWorld(
    HOST_GROUP,
    {
      intervalMs: INTERVAL_MS,
      baseEjectionMs: 2000,
      maxEjectionMs: MAX_EJECTION_MS,
      successRate: { stdevFactor: 0 },
      failurePercentage: { threshold: 0 },
      ...options,
    },
    3,
  )
  const coreOf = (slot: number) => new HostsCore(made.controlOf(slot), made.directory, slot)
  const before = coreOf(3)
  for (const name of NAMES) before.recordSuccess(name)
  const hosts = made.directory
    .controlsAfter(0)
    .filter(({ numbers }) => numbers[CONTROL_KIND] === HOST)
  const longs = Object.fromEntries(
    hosts.map(({ name, record }) => [name, record / 2 + CONTROL.EJECTION_LONG]),
  ) as Record<Name, number>
  const numbers = new Map(hosts.map(({ name, number }) => [number, name as Name]))
  return { ...made, longs, numbers, coreOf }
}

/** What a thread does that sees these hosts fail, one after the other. */
export function fails({ coreOf }: HostsWorld, slot: number, ...names: Name[]): () => boolean {
  return () => {
    const core = coreOf(slot)
    for (const name of names) core.recordFailure(name)
    return true
  }
}

export function ejectionOf({ memory, longs }: HostsWorld, name: Name): bigint {
  return memory.longs[longs[name]] as bigint
}

/** How many ejections count against it: one that never came into force does not. */
export function inARow(made: HostsWorld, name: Name): number {
  const ejection = ejectionOf(made, name)
  const never = nowOf(made) < untilOf(ejection) && !ejectedIn(made).includes(name)
  return inARowOf(ejection) - (never ? 1 : 0)
}

function nowOf({ memory }: HostsWorld): number {
  return Number(memory.longs[HEADER.MANUAL_CLOCK_LONG]) / 1000
}

/** The hosts that places have ejected, one for each place. */
export function ejectedIn(made: HostsWorld): Name[] {
  const { memory, numbers } = made
  const { record, shape } = made.controlOf(1)
  const now = nowOf(made)
  const found: Name[] = []
  for (let place = 0; place < NAMES.length; place++) {
    const word = memory[record + shape.places + place] as number
    const name = numbers.get(placeHostOf(word))
    if (name === undefined) continue
    const ejection = ejectionOf(made, name)
    if (placeEpisodeOf(word) === episodeOf(ejection) && now < untilOf(ejection)) found.push(name)
  }
  return found
}

/** At every step: never more than are allowed, and no host twice. */
export function checkPlaces(made: HostsWorld, allowed: number): void {
  checkSound(made)
  const ejected = ejectedIn(made)
  check(ejected.length <= allowed, `${ejected.length} hosts ejected of ${allowed} allowed`)
  check(new Set(ejected).size === ejected.length, 'a host takes up two places')
}

/** Whatever died before: who looks sees what the places say, and the next failures eject. */
export function checkGoesOn(made: HostsWorld, allowed: number, failures: number): void {
  const core = made.coreOf(3)
  const ejected = ejectedIn(made)
  for (const name of NAMES)
    check(core.isEjected(name) === ejected.includes(name), `${name} differs`)
  for (let failure = 0; failure < failures; failure++) {
    for (const name of NAMES) core.recordFailure(name)
  }
  checkPlaces(made, allowed)
  check(ejectedIn(made).length === allowed, 'a place stays free that hosts should take')
}

/** Back from an ejection, with an empty row unless a failure crossed with it: one is not enough. */
export function checkReturn(made: HostsWorld): void {
  made.clock.advance(MAX_EJECTION_MS)
  const core = made.coreOf(3)
  const [a] = core.hosts()
  const row = a?.rowLength() ?? 0
  core.recordFailure('a')
  check(core.isEjected('a') === row + 1 >= 2, `ejected by one failure after a row of ${row}`)
}

export function haveEnded(results: Record<string, unknown>): boolean {
  return Object.values(results).every(result => result !== undefined)
}
