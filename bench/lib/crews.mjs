/** The crews of a question: one for each kind of design, so that none disturbs another's code. */
import { openCrew } from './crew.mjs'
import { SharedBreakers } from './shared-breakers.mjs'

export class Crews {
  #threads
  #crews = new Map()
  #breakers

  /** @param {number} threads of each crew */
  constructor(threads) {
    this.#threads = threads
    this.#breakers = new SharedBreakers(threads)
  }

  /**
   * One run of one design: opened, run and checked.
   *
   * @param {import('./designs.mjs').Design} design
   * @param {{ threads: number, warmMs: number, measureMs: number }} times
   * @returns {Promise<import('./crew.mjs').Report[]>}
   */
  async run(design, times) {
    const { module, job } = design
    const { input, check } = await design.open(times.threads, this.#breakers)
    const assign = () => ({ module, job, input })
    const reports = await this.#crewOf(design.crew).run({ ...times, assign })
    check(reports)
    return reports
  }

  #crewOf(name) {
    let crew = this.#crews.get(name)
    if (crew === undefined) {
      crew = openCrew(this.#threads)
      this.#crews.set(name, crew)
    }
    return crew
  }

  async close() {
    await Promise.all([...this.#crews.values()].map(crew => crew.close()))
    this.#breakers.close()
  }
}
