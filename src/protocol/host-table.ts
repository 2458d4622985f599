/**
 * The hosts of a group that this thread knows: by name, and by their number in the directory of
 * controls, which is how places name them. The directory only grows, and so does this.
 */
import { RegionError, RegistryFullError } from '../errors.ts'
import { CONTROL_KIND, HOST, HOST_OPTION, HOSTS_OPTION } from '../memory/controls.ts'
import { MAX_NAME_BYTES, OPTION_COUNT } from '../memory/layout.ts'
import { encodeText } from '../options/breaker.ts'
import type { SharedNumbers } from '../options/shared.ts'
import { reportDamage } from './cell.ts'
import type { Control, ControlDirectory } from './control.ts'
import { allowedEjections } from './ejection-rules.ts'
import { Host } from './host.ts'
import { OVERFLOW_SLOT } from './slots.ts'

let warned = false

export class HostTable {
  readonly #group: Control
  readonly #directory: ControlDirectory
  readonly #numbers: SharedNumbers
  readonly #byName = new Map<string, Host>()
  readonly #byNumber = new Map<number, Host>()
  #slot: number
  /** Entries of the directory read so far. */
  #known = 0
  /** No more hosts can be made. */
  #isFull = false
  #isDamaged = false

  constructor(group: Control, directory: ControlDirectory, slot: number) {
    this.#group = group
    this.#directory = directory
    this.#slot = slot
    this.#numbers = hostNumbers(group)
  }

  moveToOverflow(): void {
    this.#slot = OVERFLOW_SLOT
    for (const host of this.#byName.values()) host.moveToOverflow()
  }

  get(name: string): Host | undefined {
    return this.#byName.get(name)
  }

  /** In the order in which they were made. */
  all(): IterableIterator<Host> {
    return this.#byName.values()
  }

  /** The host of that number in the directory, if it is one of this group. */
  numbered(number: number): Host | undefined {
    if (number >= this.#known) this.readOn()
    return this.#byNumber.get(number)
  }

  /** How many may be ejected at a time. Grows with the hosts, so that an older answer is safe. */
  get allowed(): number {
    const percent = this.#group.numbers[HOSTS_OPTION.MAX_EJECTION_PERCENT] as number
    return allowedEjections(this.#byName.size, percent)
  }

  /** Takes in the hosts that threads have made since the last look. */
  readOn(): void {
    if (this.#isDamaged) return
    try {
      const controls = this.#directory.controlsAfter(this.#known)
      this.#known += controls.length
      for (const control of controls) if (this.#isOurs(control)) this.#add(control)
    } catch (error) {
      // Calls go on with the hosts that are known.
      if (!(error instanceof RegionError)) throw error
      this.#isDamaged = true
      reportDamage(this.#group.memory, 'the directory of controls')
    }
  }

  #isOurs({ numbers }: Control): boolean {
    const isHost = numbers[CONTROL_KIND] === HOST
    return isHost && numbers[HOST_OPTION.GROUP] === this.#group.number
  }

  #add(control: Control): void {
    const host = new Host(control, this.#slot, this.#group.numbers)
    this.#byName.set(host.name, host)
    this.#byNumber.set(host.number, host)
  }

  /** The host of that name, made if need be; undefined when the registry has no room for it. */
  obtain(name: string): Host | undefined {
    const bytes = encodeText('host', name, MAX_NAME_BYTES)
    this.readOn()
    const found = this.#byName.get(name)
    if (found !== undefined || this.#isFull || this.#isDamaged) return found
    try {
      this.#directory.obtain(name, bytes, this.#numbers)
    } catch (error) {
      if (!(error instanceof RegistryFullError || error instanceof RegionError)) throw error
      // For good: neither a directory nor an arena gets any emptier.
      this.#isFull = true
      this.#warn(error)
    }
    this.readOn()
    return this.#byName.get(name)
  }

  #warn({ message }: Error): void {
    if (warned) return
    warned = true
    process.emitWarning(
      `busbar: host group "${this.#group.name}" cannot track all of its hosts: ${message}; ` +
        'hosts that are not tracked are never ejected',
    )
  }
}

function hostNumbers(group: Control): SharedNumbers {
  const numbers = new Array<number>(OPTION_COUNT).fill(0)
  numbers[CONTROL_KIND] = HOST
  numbers[HOST_OPTION.GROUP] = group.number
  numbers[HOSTS_OPTION.INTERVAL_MS] = group.numbers[HOSTS_OPTION.INTERVAL_MS] as number
  return Object.freeze(numbers)
}
