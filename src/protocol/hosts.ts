/**
 * A group of hosts as one thread records them and asks for them (spec: docs/overload.md). A host
 * goes at once for failures in a row; and once an interval one thread for all compares what the
 * hosts did in the interval that has just ended.
 *
 * What the places say is remembered by each thread until the group's EJECTIONS word moves: a host
 * that is not ejected costs one load. It moves with every ejection, and with every interval, so
 * that an ejection whose maker died before it told of it is seen by then.
 */
import { CONTROL, HOSTS_OPTION } from '../memory/controls.ts'
import { TOTAL } from '../memory/layout.ts'
import type { Control, ControlDirectory } from './control.ts'
import { Duty } from './duty.ts'
import { Ejections } from './ejection.ts'
import { outliersOf } from './ejection-rules.ts'
import type { Host, HostCounts } from './host.ts'
import { HostTable } from './host-table.ts'
import { OVERFLOW_SLOT } from './slots.ts'
import { counterOf, countOne, sumCounters } from './totals.ts'

/** What a host did, and the episode by which it was free to do so. */
interface Judged extends HostCounts {
  readonly host: Host
  readonly seen: bigint
}

/** The duty is counted in whole intervals, so its time in ms is 1 for each. */
const ONE_INTERVAL = 1

export class HostsCore {
  readonly #group: Control
  readonly #table: HostTable
  readonly #ejections: Ejections
  readonly #duty: Duty
  readonly #intervalMs: number
  readonly #failures: number
  #untracked: number
  #seen: number

  constructor(group: Control, directory: ControlDirectory, slot: number) {
    const { memory, numbers, record } = group
    this.#group = group
    this.#table = new HostTable(group, directory, slot)
    this.#ejections = new Ejections(group, this.#table)
    this.#duty = new Duty(memory, record / 2 + CONTROL.DUTY_LONG, ONE_INTERVAL)
    this.#intervalMs = numbers[HOSTS_OPTION.INTERVAL_MS] as number
    this.#failures = numbers[HOSTS_OPTION.CONSECUTIVE_FAILURES] as number
    this.#untracked = counterOf(group, slot, TOTAL.REFUSED)
    this.#seen = this.#ejections.version()
    this.#ejections.look()
  }

  moveToOverflow(): void {
    this.#untracked = counterOf(this.#group, OVERFLOW_SLOT, TOTAL.REFUSED)
    this.#table.moveToOverflow()
  }

  recordSuccess(name: string): void {
    const host = this.#obtain(name)
    if (host === undefined) return
    this.#group.clock.refresh()
    host.countSuccess()
    host.endRow()
    this.#tend()
  }

  recordFailure(name: string): void {
    const host = this.#obtain(name)
    if (host === undefined) return
    this.#group.clock.refresh()
    host.countFailure()
    this.#refresh()
    if (!this.#isOut(host)) this.#lengthen(host)
    this.#tend()
  }

  #obtain(name: string): Host | undefined {
    const host = this.#table.get(name) ?? this.#table.obtain(name)
    if (host === undefined) countOne(this.#group.memory, this.#untracked)
    return host
  }

  #lengthen(host: Host): void {
    const length = host.lengthenRow()
    if (!(this.#failures > 0 && length >= this.#failures)) return
    this.#ejections.eject(host, host.ejection, this.#group.clock.now())
  }

  isEjected(name: string): boolean {
    this.#refresh()
    const host = this.#table.get(name)
    return host !== undefined && this.#isOut(host)
  }

  #isOut(host: Host): boolean {
    return host.ejectedUntil > 0 && this.#isStillOut(host)
  }

  #isStillOut(host: Host): boolean {
    const { clock } = this.#group
    clock.glance()
    if (clock.latest < host.ejectedUntil) return true
    clock.refresh()
    if (clock.current < host.ejectedUntil) return true
    // Its return needs no clock from here on.
    host.ejectedUntil = 0
    return false
  }

  /** Brings what this thread remembers up to date. Cost: one load while nothing has changed. */
  #refresh(): void {
    const version = this.#ejections.version()
    if (version === this.#seen) return
    this.#ejections.look()
    this.#seen = version
  }

  /** Compares the hosts when an interval has ended and nobody else has. */
  #tend(): void {
    const interval = Math.floor(this.#group.clock.current / this.#intervalMs)
    if (interval >= this.#duty.nextLook) this.#compare(interval)
  }

  #compare(interval: number): void {
    if (!this.#duty.take(interval)) return
    this.#ejections.look()
    if (interval > 0) this.#ejectOutliers(interval - 1)
    this.#ejections.tell()
  }

  #ejectOutliers(interval: number): void {
    const start = interval * this.#intervalMs
    const judged = [...this.#table.all()]
      .filter(host => this.#wasFree(host, start))
      .map(host => ({ host, seen: host.ejection, ...host.countsOf(interval) }))
      .filter(({ calls }) => calls > 0)
    for (const { host, seen } of outliersOf<Judged>(judged, this.#group.numbers)) {
      // Who took the next round knows better.
      if (!this.#duty.isMine()) return
      this.#ejections.eject(host, seen, start)
    }
  }

  /** Whether the host was free all through the interval that began at `start`, and is. */
  #wasFree(host: Host, start: number): boolean {
    if (host.ejectedUntil > 0) return false
    // An end still to come without an ejection: its decider died before it had a place.
    return host.decidedUntil <= start || this.#group.clock.current < host.decidedUntil
  }

  /** The hosts, as all threads know them by now. */
  hosts(): IterableIterator<Host> {
    this.#ejections.look()
    return this.#table.all()
  }

  /** How many hosts may be ejected at a time. */
  get allowed(): number {
    return this.#table.allowed
  }

  /** The last whole interval. */
  lastInterval(): number {
    return Math.floor(this.#group.clock.now() / this.#intervalMs) - 1
  }

  /** Calls of hosts that the registry had no room for, over all threads. */
  untracked(): number {
    return sumCounters(this.#group).refused
  }
}
