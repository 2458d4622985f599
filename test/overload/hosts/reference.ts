/**
 * Host ejection as docs/overload.md says it, for one thread and with nothing shared: the list of all
 * calls, and three numbers a host. Rates are compared as fractions, without rounding.
 */
import type { ResolvedHostGroupOptions } from '../../../src/overload/hosts.ts'

interface Event {
  readonly host: string
  readonly isFailure: boolean
  readonly at: number
}

export interface ReferenceHost {
  row: number
  until: number
  inARow: number
}

interface Counted {
  readonly host: string
  readonly calls: bigint
  readonly failures: bigint
}

/** What happened, for a generator to be told whether it has gone blind. */
export type Covered = (mark: string) => void

export class Reference {
  now = 0
  readonly hosts = new Map<string, ReferenceHost>()
  readonly #options: ResolvedHostGroupOptions
  readonly #events: Event[] = []
  readonly #covered: Covered
  #due = 0

  constructor(options: ResolvedHostGroupOptions, covered: Covered) {
    this.#options = options
    this.#covered = covered
  }

  get maxEjected(): number {
    return Math.max(1, Math.floor((this.#options.maxEjectionPercent * this.hosts.size) / 100))
  }

  ejected(): string[] {
    return [...this.hosts.keys()].filter(host => this.isEjected(host))
  }

  isEjected(host: string): boolean {
    return this.now < (this.hosts.get(host)?.until ?? 0)
  }

  totals(host: string): { succeeded: number; failed: number } {
    const events = this.#events.filter(event => event.host === host)
    const failed = events.filter(({ isFailure }) => isFailure).length
    return { succeeded: events.length - failed, failed }
  }

  ejectionsInRow(host: ReferenceHost, at = this.now): number {
    let { inARow } = host
    for (let end = host.until; end + this.#options.intervalMs <= at && inARow > 0; inARow--) {
      end += this.#options.intervalMs
    }
    return inARow
  }

  record(name: string, isFailure: boolean): void {
    this.#events.push({ host: name, isFailure, at: this.now })
    const host = this.hosts.get(name) ?? { row: 0, until: 0, inARow: 0 }
    this.hosts.set(name, host)
    if (!isFailure) host.row = 0
    else if (!this.isEjected(name)) this.#lengthen(host)
    const interval = Math.floor(this.now / this.#options.intervalMs)
    if (interval < this.#due) return
    this.#due = interval + 1
    if (interval > 0) this.#compare(interval - 1)
  }

  #lengthen(host: ReferenceHost): void {
    host.row++
    const { consecutiveFailures } = this.#options
    if (consecutiveFailures === 0 || host.row < consecutiveFailures) return
    this.#eject(host, this.now, 'row')
  }

  #eject(host: ReferenceHost, since: number, why: string): void {
    const isFull = this.ejected().length >= this.maxEjected
    this.#covered(`${why}${isFull ? ' refused' : ''}`)
    if (isFull) return
    const { baseEjectionMs, maxEjectionMs } = this.#options
    const left = this.ejectionsInRow(host, since)
    if (left > 0) this.#covered('grown')
    if (left < host.inARow) this.#covered('shrunk')
    host.inARow = left + 1
    if (baseEjectionMs * host.inARow > maxEjectionMs) this.#covered('longest')
    host.until = this.now + Math.min(maxEjectionMs, baseEjectionMs * host.inARow)
    host.row = 0
  }

  /** In the order in which hosts came. */
  countsOf(interval: number): Counted[] {
    const start = interval * this.#options.intervalMs
    const end = start + this.#options.intervalMs
    const within = this.#events.filter(({ at }) => at >= start && at < end)
    return [...this.hosts.keys()].map(host => {
      const mine = within.filter(event => event.host === host)
      const failures = mine.filter(({ isFailure }) => isFailure).length
      return { host, calls: BigInt(mine.length), failures: BigInt(failures) }
    })
  }

  #compare(interval: number): void {
    const start = interval * this.#options.intervalMs
    const counted = this.countsOf(interval).filter(({ host, calls }) => {
      const wasFree = (this.hosts.get(host)?.until ?? 0) <= start
      if (!wasFree && calls > 0n) this.#covered('not compared')
      return wasFree && calls > 0n
    })
    const below = this.#farBelowMean(counted)
    const failing = this.#mostlyFailing(counted)
    if (below.length > 0 && failing.length > 0) this.#covered('both rules')
    const bad = counted.filter(one => below.includes(one) || failing.includes(one))
    bad.sort((a, b) => Number(b.failures * a.calls - a.failures * b.calls))
    for (const one of bad) {
      const host = this.hosts.get(one.host)
      if (host !== undefined) this.#eject(host, start, below.includes(one) ? 'rate' : 'part')
    }
  }

  /** D > f sd, where D = mean - rate: D > 0 and D^2 > f^2 variance, all over one denominator. */
  #farBelowMean(counted: Counted[]): Counted[] {
    const { stdevFactor, minimumHosts, requestVolume } = this.#options.successRate
    const compared = counted.filter(({ calls }) => calls >= requestVolume)
    if (stdevFactor === 0 || compared.length < minimumHosts) return []
    const hosts = BigInt(compared.length)
    const factor = BigInt(Math.round(stdevFactor * 10))
    const product = compared.reduce((all, { calls }) => all * calls, 1n)
    const rates = compared.map(({ calls, failures }) => (product / calls) * (calls - failures))
    const sum = rates.reduce((all, rate) => all + rate, 0n)
    // Differences times the number of hosts, and the sum of their squares times as much again.
    const below = rates.map(rate => sum - rate * hosts)
    const squares = below.reduce((all, one) => all + one * one, 0n)
    return compared.filter((_, index) => {
      const one = below[index] as bigint
      return one > 0n && one * one * hosts * 100n > factor * factor * squares
    })
  }

  #mostlyFailing(counted: Counted[]): Counted[] {
    const { threshold, minimumHosts, requestVolume } = this.#options.failurePercentage
    const judged = counted.filter(({ calls }) => calls >= requestVolume)
    if (threshold === 0 || judged.length < minimumHosts) return []
    const tenths = BigInt(Math.round(threshold * 10))
    return judged.filter(({ calls, failures }) => failures * 10n >= tenths * calls)
  }
}
