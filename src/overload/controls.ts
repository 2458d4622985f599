/** The controls of a registry as one thread holds them: found by name, else made. */

import { CONTROL_KIND } from '../memory/controls.ts'
import type { Region } from '../memory/region.ts'
import type { ThreadId } from '../memory/words/threads.ts'
import { encodeName, hasLocal, type ResolvedLocal, resolveLocal } from '../options/breaker.ts'
import { controlNumbers, readControlFields, requireSameControl } from '../options/controls.ts'
import type { Fields } from '../options/read.ts'
import {
  type Control,
  ControlDirectory,
  type ControlEntry,
  controlKey,
  controlOf,
} from '../protocol/control.ts'

/** Where a control's calls are counted, and what else its face is made of. */
interface Seat {
  readonly slot: number
  readonly local: ResolvedLocal
  readonly directory: ControlDirectory
}

/** What users call: a throttle, a bulkhead, a retry budget, a host group. */
export interface ControlFace {
  readonly name: string
  /** For a thread that has given its slot back and still holds this object. @internal */
  moveToOverflow(): void
}

/** One kind of control. */
export interface ControlKind<F extends ControlFace> {
  readonly kind: number
  /** One of them, in messages. */
  readonly what: string
  /** Options that stay in the thread that gives them: of those of breakers. */
  readonly localKeys: readonly string[]
  make(control: Control, seat: Seat): F
  /** Another face of the same core, with other local options. */
  withLocal(face: F, local: ResolvedLocal): F
}

function keyOf(kind: number, name: string): string {
  return `${kind}/${name}`
}

export class Controls {
  readonly #region: Region
  readonly #id: ThreadId
  readonly #slot: number
  readonly #local: ResolvedLocal
  readonly #directory: ControlDirectory
  readonly #held = new Map<string, ControlFace>()

  constructor(region: Region, id: ThreadId, slot: number, local: ResolvedLocal) {
    this.#region = region
    this.#id = id
    this.#slot = slot
    this.#local = local
    this.#directory = new ControlDirectory(region, id)
  }

  /** As `registry.breaker`, of a control. */
  get<F extends ControlFace>(kind: ControlKind<F>, name: string, options?: object): F {
    const key = keyOf(kind.kind, name)
    const held = this.#held.get(key) as F | undefined
    if (options === undefined && held !== undefined) return held
    const bytes = encodeName(name)
    const fields = readControlFields(kind.kind, 'options', options ?? {}, kind.localKeys)
    const local = resolveLocal('options', fields, this.#local)
    const entry = this.#entry(kind.kind, name, bytes, fields)
    const asked = controlNumbers(kind.kind, 'options', fields, entry.numbers)
    requireSameControl(`${kind.what} "${name}"`, entry.numbers, asked)
    if (held === undefined) return this.#hold(kind, key, entry, local)
    return hasLocal(fields) ? kind.withLocal(held, local) : held
  }

  #entry(kind: number, name: string, bytes: Uint8Array, fields: Fields): ControlEntry {
    const numbers = Object.freeze([kind])
    const found = this.#directory.find(controlKey(name, numbers))
    return (
      found ??
      this.#directory.make({ name, bytes, numbers: controlNumbers(kind, 'options', fields) })
    )
  }

  #hold<F extends ControlFace>(
    kind: ControlKind<F>,
    key: string,
    entry: ControlEntry,
    local: ResolvedLocal,
  ): F {
    const control = controlOf(this.#region, entry, this.#id)
    const seat = { slot: this.#slot, local, directory: this.#directory }
    const face = kind.make(control, seat)
    this.#held.set(key, face)
    return face
  }

  /** All of a kind, whichever threads made them, in the order in which they were made. */
  all<F extends ControlFace>(kind: ControlKind<F>): F[] {
    return this.#directory
      .entriesAfter(0)
      .filter(({ numbers }) => numbers[CONTROL_KIND] === kind.kind)
      .map(entry => {
        // By its entry: what stands in a damaged one need not be a name.
        const key = keyOf(kind.kind, entry.name)
        const held = this.#held.get(key) as F | undefined
        return held ?? this.#hold(kind, key, entry, this.#local)
      })
  }

  moveToOverflow(): void {
    for (const face of this.#held.values()) face.moveToOverflow()
  }
}
