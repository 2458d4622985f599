/** What the keeper does for a region besides ticking: outlived trials, sums, slots of the dead. */
import { threadId } from 'node:worker_threads'
import type { Region } from '../memory/region.ts'
import { Core } from '../protocol/breaker.ts'
import type { Cell } from '../protocol/cell.ts'
import { type Control, ControlDirectory } from '../protocol/control.ts'
import { cellOf, Directory } from '../protocol/directory.ts'
import { raiseEdition } from '../protocol/follower.ts'
import { OVERFLOW_SLOT } from '../protocol/slots.ts'
import { type Held, reapMarked } from './deaths.ts'

/** The keeper makes no breakers; of its transitions it says that they are its own. */
const KEEPER = { thread: threadId, parent: 0 }

export class Upkeep {
  readonly #region: Region
  readonly #directory: Directory
  readonly #cores: Core[] = []
  readonly #cells: Cell[] = []
  readonly #controlDirectory: ControlDirectory
  readonly #controls: Control[] = []

  constructor(region: Region) {
    this.#region = region
    this.#directory = new Directory(region, KEEPER)
    this.#controlDirectory = new ControlDirectory(region, KEEPER)
  }

  /**
   * One round. Nothing waits for it: askers take outlived trials over, recorders sum, and whoever
   * sees a thread end reaps.
   */
  round(): void {
    this.#readOn()
    for (const core of this.#cores) core.tend()
    reapMarked(this.#region, () => this.#readOn())
  }

  /** All that there is by now. */
  #readOn(): Held {
    for (const entry of this.#directory.entriesAfter(0)) {
      const { number } = entry
      if (this.#cells[number]?.entry === entry.word) continue
      const cell = cellOf(this.#region, entry, KEEPER)
      this.#cells[number] = cell
      // It asks and records nothing, so the slot does not matter.
      this.#cores[number] = new Core(cell, OVERFLOW_SLOT)
      raiseEdition(cell)
    }
    this.#controls.push(...this.#controlDirectory.controlsAfter(this.#controls.length))
    return { cells: this.#cells, controls: this.#controls }
  }
}
