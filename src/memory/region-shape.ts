/**
 * The parts of a region, each where the one before it ends:
 *
 *   header | defaults | threads | presence | journal |
 *   making | directory | definitions | arena of records, of breakers, then the same of controls
 */
import {
  DEFINITION_WORDS,
  HEADER_WORDS,
  JOURNAL_ENTRIES,
  JOURNAL_LONGS,
  LINE_WORDS,
  linesFor,
  OPTION_COUNT,
} from './layout.ts'

export interface Geometry {
  readonly maxBreakers: number
  readonly maxThreads: number
  readonly arenaLines: number
  readonly maxControls: number
  readonly controlLines: number
}

/** Where a directory, its definitions and its records stand. */
export interface Area {
  readonly entries: number
  /** What is being made. */
  readonly makingLong: number
  readonly directoryLong: number
  readonly definitions: number
  readonly definitionCount: number
  readonly arena: number
  readonly arenaLines: number
}

export interface RegionShape extends Geometry {
  readonly defaultsDouble: number
  readonly threadsLong: number
  readonly presence: number
  readonly journalLong: number
  readonly breakers: Area
  readonly controls: Area
  readonly words: number
}

/** Spare definitions: one for each thread that may lose the race for a name, and some to waste. */
export const SPARE_DEFINITIONS = 64

export function regionShapeOf(geometry: Geometry): RegionShape {
  const { maxBreakers, maxThreads, maxControls } = geometry
  const defaults = HEADER_WORDS
  const threads = defaults + linesFor(OPTION_COUNT * 2)
  const presence = threads + linesFor((maxThreads + 1) * 2)
  const journal = presence + (maxThreads + 1) * LINE_WORDS
  const start = journal + JOURNAL_ENTRIES * JOURNAL_LONGS * 2
  const breakers = areaAt(start, maxBreakers, maxThreads, geometry.arenaLines)
  const controls = areaAt(endOf(breakers), maxControls, maxThreads, geometry.controlLines)
  return {
    ...geometry,
    defaultsDouble: defaults / 2,
    threadsLong: threads / 2,
    presence,
    journalLong: journal / 2,
    breakers,
    controls,
    words: endOf(controls),
  }
}

function areaAt(start: number, entries: number, maxThreads: number, arenaLines: number): Area {
  const definitionCount = entries + maxThreads + SPARE_DEFINITIONS
  const directory = start + LINE_WORDS
  const definitions = directory + linesFor(entries * 2)
  const arena = definitions + definitionCount * DEFINITION_WORDS
  const longs = { makingLong: start / 2, directoryLong: directory / 2 }
  return { entries, ...longs, definitions, definitionCount, arena, arenaLines }
}

function endOf({ arena, arenaLines }: Area): number {
  return arena + arenaLines * LINE_WORDS
}
