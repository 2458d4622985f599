/** Which transitions of the registry's history are new. */
import type { Source, SourceBreaker, SourceTransition } from './source.ts'

/** What a client gets at first: so many, and the latest of each breaker. */
const SHOWN = 256
/** A transition may be seen in a breaker a moment before it stands in the history. */
const LOOKS_AFTER_A_CHANGE = 3

export class Transitions {
  readonly #source: Source
  #history: readonly SourceTransition[] = []
  #known = new Set<string>()
  #generations = new Map<string, number>()
  #looksLeft = LOOKS_AFTER_A_CHANGE

  constructor(source: Source) {
    this.#source = source
  }

  /** Those not yet given, oldest first. Reads the history only when some breaker has moved. */
  news(breakers: readonly SourceBreaker[]): SourceTransition[] {
    if (this.#haveMoved(breakers)) this.#looksLeft = LOOKS_AFTER_A_CHANGE
    if (this.#looksLeft === 0) return []
    this.#looksLeft -= 1
    this.#history = this.#source.history()
    const keys = this.#history.map(({ breaker, generation }) => `${generation} ${breaker}`)
    const news = this.#history.filter((_, at) => !this.#known.has(keys[at] ?? ''))
    this.#known = new Set(keys)
    return news
  }

  #haveMoved(breakers: readonly SourceBreaker[]): boolean {
    const before = this.#generations
    this.#generations = new Map(breakers.map(({ name, generation }) => [name, generation]))
    return breakers.some(({ name, generation }) => before.get(name) !== generation)
  }

  /** For a new client. */
  shown(): SourceTransition[] {
    const latest = new Map(this.#history.map(transition => [transition.breaker, transition]))
    const from = this.#history.length - SHOWN
    return this.#history.filter(
      (transition, at) => at >= from || latest.get(transition.breaker) === transition,
    )
  }
}
