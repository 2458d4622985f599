/**
 * Which hosts of a group are ejected: those that its places name. A place is { host, episode }. It
 * is in force while the episode is the host's last one and not over; otherwise it reads as free.
 *
 * To eject: decide the host's next episode (host.ts), claim a free place for it, tell the others.
 *
 * 1. Threads claim among the first `allowed` places, and `allowed` only grows with the hosts, which
 *    are in the directory before a thread counts them. A place names one host. So at no instant are
 *    more hosts ejected than are allowed, whoever died where.
 * 2. An episode has one decider, and it claims one place: no host takes up two.
 * 3. A place that reads as free stays so. An episode that is not the last one will not be again,
 *    one that is over stays over; and an episode is decided before a place names it, so a place of
 *    one that is still to come cannot be met. So the claimer's CAS takes nothing away.
 * 4. A decider that was late claims for an episode that is no more: the place reads as free.
 * 5. Who dies between decision and claim has ejected nobody. The host's row is empty by then; the
 *    next full one decides the next episode, as does the next interval.
 * 6. Who dies between claim and telling has ejected the host. Threads that have seen no change yet
 *    see it at the next one, an interval later at the latest (hosts.ts).
 */
import { add, compareExchange, load } from '#atomics'
import { CONTROL } from '../memory/controls.ts'
import { placeEpisodeOf, placeHostOf } from '../memory/words/hosts.ts'
import type { Control } from './control.ts'
import type { Host } from './host.ts'
import type { HostTable } from './host-table.ts'

/** Each one lost is a claim of another thread, of which only late ones leave the place free. */
const CLAIM_ATTEMPTS = 8

export class Ejections {
  readonly #group: Control
  readonly #table: HostTable
  readonly #version: number
  readonly #places: number

  constructor(group: Control, table: HostTable) {
    this.#group = group
    this.#table = table
    this.#version = group.record + CONTROL.EJECTIONS
    this.#places = group.record + group.shape.places
  }

  /** Another one than before: some host may be ejected that was not. */
  version(): number {
    return load(this.#group.memory, this.#version)
  }

  /** Makes the others look. */
  tell(): void {
    // ATOMIC ejection.tell
    //   publishes: that what threads remember of the places may be old.
    //   dies here: they look at the next telling.
    //   wraps:     32 bits: a thread that did not look for exactly 2^32 of them.
    add(this.#group.memory, this.#version, 1)
  }

  /** Sets `ejectedUntil` of all hosts that this thread knows. Cost: a load a host, two a place. */
  look(): void {
    const now = this.#group.clock.now()
    this.#table.readOn()
    for (const host of this.#table.all()) {
      host.look()
      host.ejectedUntil = 0
    }
    for (let place = 0; place < this.#table.allowed; place++) {
      const host = this.#inForce(this.#read(place), now)
      if (host !== undefined) host.ejectedUntil = host.decidedUntil
    }
  }

  /**
   * Ejects the host, unless it is ejected, the places are taken, or another episode than `seen`,
   * which the reasons belong to, has been decided. `since`: see `decide`.
   */
  eject(host: Host, seen: bigint, since: number): void {
    this.#table.readOn()
    const { allowed } = this.#table
    const now = this.#group.clock.now()
    if (!this.#hasRoomFor(host, allowed, now) || !host.decide(seen, since, now)) return
    const decided = host.ejection
    if (this.#claim(host, allowed, now)) this.tell()
    else host.revoke(decided, seen)
  }

  #read(place: number): number {
    return load(this.#group.memory, this.#places + place)
  }

  /** The host that the place's word has ejected; undefined: the place is free. */
  #inForce(word: number, now: number): Host | undefined {
    const host = this.#table.numbered(placeHostOf(word))
    if (host === undefined) return undefined
    // After the place was read: see 3.
    host.look()
    return placeEpisodeOf(word) === host.episode && now < host.decidedUntil ? host : undefined
  }

  #hasRoomFor(host: Host, allowed: number, now: number): boolean {
    let hasRoom = false
    for (let place = 0; place < allowed; place++) {
      const ejected = this.#inForce(this.#read(place), now)
      if (ejected === host) return false
      if (ejected === undefined) hasRoom = true
    }
    return hasRoom
  }

  #claim(host: Host, allowed: number, now: number): boolean {
    const mine = host.place
    for (let place = 0; place < allowed; place++) {
      for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
        // ATOMIC ejection.claim
        //   observes:  a place that names nobody, or an episode that is not the last or is over.
        //   publishes: our episode in force, if it still is the last one.
        //   loses to:  another claimer: look again; a place that is taken, or the bound: the next.
        //   dies here: ejected; the others see it at the next telling.
        //   wraps:     14 bits of episode: a place left alone for 16,384 ejections of its host
        //              names it again until that one is over.
        const found = this.#read(place)
        if (this.#inForce(found, now) !== undefined) break
        if (compareExchange(this.#group.memory, this.#places + place, found, mine) === found) {
          return true
        }
      }
    }
    return false
  }
}
