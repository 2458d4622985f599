/** HostGroup: which hosts of a dependency are worth a call, known to all threads. */
import { InvalidOptionError } from '../errors.ts'
import { HOST_GROUP } from '../memory/controls.ts'
import { describeControl } from '../options/controls.ts'
import type { Control } from '../protocol/control.ts'
import type { Host } from '../protocol/host.ts'
import { HostsCore } from '../protocol/hosts.ts'
import type { ControlKind } from './controls.ts'
import type { HostGroupOptions } from './types.ts'

/** How a call of a host ended. */
export type HostOutcome = 'success' | 'failure'

/** Options with nothing left out, down to the groups of them. */
type Whole<T> = {
  readonly [K in keyof T]-?: NonNullable<T[K]> extends number ? number : Whole<NonNullable<T[K]>>
}

/** The options of a host group, defaults filled in. */
export type ResolvedHostGroupOptions = Whole<HostGroupOptions>

/** A host at one moment. */
export interface HostSnapshot {
  host: string
  ejected: boolean
  /** For how long it will yet be, in ms; 0: it is not. */
  ejectedForMs: number
  /** The ejection that goes on and those before it, less one for each whole interval of freedom. */
  ejectionsInRow: number
  /** Over all threads, since the last success or ejection. */
  consecutiveFailures: number
  /** Of its calls in the last whole interval; null: there were none. */
  successRate: number | null
  /** Calls over all threads since it was first recorded. */
  totals: { succeeded: number; failed: number }
}

/** A host group at one moment. */
export interface HostGroupSnapshot {
  name: string
  /** In the order in which they were first recorded. */
  hosts: HostSnapshot[]
  /** How many of them may be ejected at a time. */
  maxEjected: number
  /** How many are. */
  ejected: number
  /** Calls recorded of hosts that the registry had no room for: those are never ejected. */
  untracked: number
}

/**
 * One named group of hosts as this thread holds it. Record how calls of each host end; the group
 * ejects, for all threads and for a while, those that fail where the others do not. It refuses
 * nothing itself: ask `isEjected`, or let `pick` choose.
 *
 * The rules are those of Envoy's outlier detection.
 */
export class HostGroup {
  readonly name: string
  readonly #control: Control
  readonly #core: HostsCore

  /** @internal */
  constructor(control: Control, core: HostsCore) {
    this.name = control.name
    this.#control = control
    this.#core = core
  }

  /** The options that it was made with, defaults filled in. A copy. */
  get options(): ResolvedHostGroupOptions {
    return describeControl(this.#control.numbers) as unknown as ResolvedHostGroupOptions
  }

  /**
   * How one call of the host ended. The first of a host, in any thread, makes it one of the group;
   * a name has 1 to 255 bytes of UTF-8. Where the registry has no room for it (`maxControls`) it is
   * not tracked: never ejected, counted in the snapshot, and told of by one warning of the process.
   *
   * Cost: a clock reading and a few additions; a failure one CAS more. The first call after an
   * interval compares all hosts, for whichever thread makes it: about 10 microseconds a host.
   *
   * @throws InvalidOptionError
   */
  record(host: string, outcome: HostOutcome): void {
    if (outcome === 'success') this.#core.recordSuccess(requireHost(host))
    else if (outcome === 'failure') this.#core.recordFailure(requireHost(host))
    else throw new InvalidOptionError('outcome', outcome, "'success' or 'failure'")
  }

  /**
   * Whether the host is ejected. False of one that was never recorded. Cost: one load and one
   * look-up of its name; of an ejected host a glance at the clock besides.
   */
  isEjected(host: string): boolean {
    return this.#core.isEjected(host)
  }

  /**
   * One of `hosts` that are not ejected, each as likely as the others. When all are, one of all of
   * them: traffic keeps flowing. Cost: a random number and one `isEjected`, or, when the first draw
   * is an ejected host, both once more for each of them.
   *
   * @throws InvalidOptionError when there are none
   */
  pick(hosts: readonly string[]): string {
    const drawn = Array.isArray(hosts) ? hosts[Math.floor(Math.random() * hosts.length)] : undefined
    if (drawn === undefined) {
      throw new InvalidOptionError('hosts', hosts, 'an array of at least one host')
    }
    return this.#core.isEjected(drawn) ? this.#pickAnother(hosts, drawn) : drawn
  }

  /** Any that is not ejected, each as likely as the others, however many; else `drawn`. */
  #pickAnother(hosts: readonly string[], drawn: string): string {
    let picked = drawn
    let candidates = 0
    for (const host of hosts) {
      if (this.#core.isEjected(host)) continue
      candidates++
      if (Math.random() * candidates < 1) picked = host
    }
    return picked
  }

  /** The hosts recorded so far, by whichever threads, in the order in which they came. */
  hosts(): string[] {
    return Array.from(this.#core.hosts(), ({ name }) => name)
  }

  /** Cost: a sum over the threads for each host, about 10 microseconds. */
  snapshot(): HostGroupSnapshot {
    const hosts = Array.from(this.#core.hosts(), host => this.#snapshotOf(host))
    return {
      name: this.name,
      hosts,
      maxEjected: this.#core.allowed,
      ejected: hosts.filter(({ ejected }) => ejected).length,
      untracked: this.#core.untracked(),
    }
  }

  #snapshotOf(host: Host): HostSnapshot {
    const interval = this.#core.lastInterval()
    const now = this.#control.clock.current
    const { calls, failures } = host.countsOf(interval)
    const ejectedForMs = Math.max(0, host.ejectedUntil - now)
    return {
      host: host.name,
      ejected: ejectedForMs > 0,
      ejectedForMs,
      ejectionsInRow: host.ejectionsInRow(now, now),
      consecutiveFailures: host.rowLength(),
      successRate: calls > 0 ? (calls - failures) / calls : null,
      totals: host.totals(),
    }
  }

  /** @internal */
  moveToOverflow(): void {
    this.#core.moveToOverflow()
  }
}

/** The rest of what a name must be is checked when the host is made. */
function requireHost(host: string): string {
  if (typeof host === 'string' && host !== '') return host
  throw new InvalidOptionError('host', host, 'a string of at least one character')
}

/** @internal */
export const HOST_GROUPS: ControlKind<HostGroup> = {
  kind: HOST_GROUP,
  what: 'host group',
  localKeys: [],
  make: (control, { directory, slot }) =>
    new HostGroup(control, new HostsCore(control, directory, slot)),
  withLocal: face => face,
}
