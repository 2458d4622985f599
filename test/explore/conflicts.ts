/**
 * Which reads a search takes together with the operation before them. What a thread reads from a
 * word that no other thread writes is the same a moment later, and nobody sees it read. Schedules
 * that differ only in when that happens are one schedule: no other thread need be let in before it.
 * Nor can it be told whether a thread died before or after such a read, but that it has no result.
 *
 * Who writes what is learnt from the search itself, which begins anew when a thread writes a word
 * that it was not known to write; a short search comes first, where that costs little. A search that
 * gets through has met none. So all that it took for private was: a first write that it had missed
 * would come after steps that it has taken.
 */
import type { Operation } from './thread.ts'

/** Thrown by a search that has to begin anew. */
export const OUTDATED = Object.freeze({ outdated: true })

const NOBODY = -1
const SEVERAL = -2

export class Writers {
  readonly #of: Int16Array
  /** Set when a thread wrote what it was not known to write. */
  news = false

  constructor(words: number) {
    this.#of = new Int16Array(words).fill(NOBODY)
  }

  note({ index, wide }: Operation, thread: number): void {
    if (!wide) this.#noteWord(index, thread)
    else for (let half = 0; half < 2; half++) this.#noteWord(2 * index + half, thread)
  }

  #noteWord(word: number, thread: number): void {
    const known = this.#of[word]
    if (known === thread || known === SEVERAL) return
    this.#of[word] = known === NOBODY ? thread : SEVERAL
    this.news = true
  }

  /** Whether no other thread is known to write there. */
  isPrivate({ index, wide }: Operation, thread: number): boolean {
    if (!wide) return this.#isWordPrivate(index, thread)
    return this.#isWordPrivate(2 * index, thread) && this.#isWordPrivate(2 * index + 1, thread)
  }

  #isWordPrivate(word: number, thread: number): boolean {
    const known = this.#of[word]
    return known === NOBODY || known === thread
  }
}
