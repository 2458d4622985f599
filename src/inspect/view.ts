/** A region as data: header, slots, history, breakers, and what the verifier finds. */
import { load, load64, readFixed, readFixedDouble, viewsOf } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { CONTROL, controlShapeOf } from '../memory/controls.ts'
import { CLOCK_MANUAL, HEADER } from '../memory/layout.ts'
import { geometryOf, readDefaults, recordShapeOf } from '../memory/region.ts'
import { type RegionShape, regionShapeOf } from '../memory/region-shape.ts'
import { keeperStateOf } from '../memory/words/tick.ts'
import { timeOf } from '../memory/words/timed.ts'
import { areControlsSound } from '../options/controls.ts'
import { areSound, describeShared } from '../options/shared.ts'
import { makeCell, NO_NEWS } from '../protocol/cell.ts'
import type { Control } from '../protocol/control.ts'
import { readDefinition } from '../protocol/definitions.ts'
import type { Clock } from '../time/clock.ts'
import { checkDirectory } from '../verify/directory.ts'
import { Parts } from '../verify/format.ts'
import { BREAKERS } from '../verify/format-breaker.ts'
import { CONTROLS } from '../verify/format-control.ts'
import type { Finding } from '../verify/report.ts'
import { findingsOf } from '../verify/verify.ts'
import { type BreakerView, breakerViewOf } from './breaker.ts'
import { type ControlView, controlViewsOf } from './control.ts'
import { type HistoryView, historyOf, type NamedCell } from './history.ts'
import { latestTime } from './latest.ts'
import { type SlotView, slotViewsOf } from './slots.ts'

export interface RegionView {
  readonly bytes: number
  readonly layoutVersion: number
  readonly id: string
  readonly maxBreakers: number
  readonly maxThreads: number
  readonly arenaLines: number
  readonly arenaLinesUsed: number
  readonly maxControls: number
  readonly controlLines: number
  readonly controlLinesUsed: number
  readonly clock: 'manual' | 'monotonic' | 'damaged'
  /** The time in ms to which the rest belongs: a manual clock's, else the latest in the file. */
  readonly now: number
  readonly keeper: { readonly tickMs: number; readonly state: string; readonly tick: number }
  readonly slotsUsed: number
  readonly overflowUsed: boolean
  /** How many threads found no slot free. */
  readonly threadsWithoutSlot: number
  /** Until when one thread exports metrics for all; null: nobody ever did. */
  readonly exporterLeaseUntil: number | null
  /** How many entries the journal was given, modulo 2^32. */
  readonly journalEntries: number
  readonly damagedWordsMet: number
  readonly defaultTimeoutMs: number | null
  readonly defaults: Readonly<Record<string, unknown>>
  readonly slots: SlotView[]
  /** The transitions that the journal holds, the oldest first. */
  readonly history: HistoryView[]
  readonly breakers: BreakerView[]
  /** Breakers whose options are not legal, so that their records cannot be read. */
  readonly unreadable: string[]
  readonly controls: ControlView[]
  readonly unreadableControls: string[]
  readonly findings: Finding[]
}

/** `buffer` is whole by its header: see file.ts. Nobody else may have it. */
export function viewOf(buffer: SharedArrayBuffer): RegionView {
  const memory = viewsOf(buffer, buffer.byteLength / 4)
  const at = (word: number): number => load(memory, word)
  const shape = regionShapeOf(geometryOf(memory))
  const { cells, unreadable } = cellsOf(buffer, memory, shape)
  const isManual = at(HEADER.CLOCK) === CLOCK_MANUAL
  const micros = Number(load64(memory, HEADER.MANUAL_CLOCK_LONG))
  const clock = { ...NO_CLOCK, current: 0 }
  const controls = controlsOf(buffer, memory, shape, clock)
  const now = isManual
    ? micros / 1000
    : latestTime(
        memory,
        shape,
        cells.map(({ cell }) => cell),
        controls.found,
      )
  clock.current = now
  // Before anything else looks at the region: what is found is what the file holds.
  const findings = findingsOf(buffer, { now: isManual ? micros : Math.ceil(now * 1000) })
  const header = headerOf(memory, shape)
  const breakers = cells.map(({ name, cell }) => breakerViewOf(name, cell, now))
  return {
    bytes: buffer.byteLength,
    ...header,
    arenaLinesUsed: breakers.reduce((sum, { record }) => sum + record.lines, 0),
    controlLinesUsed: controls.found.reduce((sum, { shape: { lines } }) => sum + lines, 0),
    now,
    slots: slotViewsOf(memory, shape, isManual ? undefined : now),
    history: historyOf({ memory, region: shape }, cells),
    breakers,
    unreadable,
    controls: controlViewsOf(controls.found, now),
    unreadableControls: controls.unreadable,
    findings,
  }
}

type HeaderView = Omit<
  RegionView,
  | 'bytes'
  | 'arenaLinesUsed'
  | 'controlLinesUsed'
  | 'now'
  | 'slots'
  | 'history'
  | 'breakers'
  | 'unreadable'
  | 'controls'
  | 'unreadableControls'
  | 'findings'
>

function headerOf(memory: Memory, shape: RegionShape): HeaderView {
  const { maxBreakers, maxThreads, arenaLines, maxControls, controlLines } = shape
  const at = (word: number): number => load(memory, word)
  const part = (word: number): string => (readFixed(memory, word) >>> 0).toString(16)
  const tick = at(HEADER.TICK)
  const lease = load64(memory, HEADER.EXPORTER_LONG)
  const timeoutMs = readFixedDouble(memory, HEADER.DEFAULT_TIMEOUT_DOUBLE)
  return {
    layoutVersion: at(HEADER.VERSION),
    id: `${part(HEADER.SEED + 1)}-${part(HEADER.SEED)}`,
    maxBreakers,
    maxThreads,
    arenaLines,
    maxControls,
    controlLines,
    clock: (['monotonic', 'manual'] as const)[at(HEADER.CLOCK)] ?? 'damaged',
    keeper: {
      tickMs: readFixedDouble(memory, HEADER.TICK_MS_DOUBLE),
      state: keeperStateOf(tick),
      tick,
    },
    slotsUsed: at(HEADER.SLOTS_USED),
    overflowUsed: at(HEADER.OVERFLOW_USED) !== 0,
    threadsWithoutSlot: at(HEADER.THREADS_WITHOUT_SLOT) >>> 0,
    exporterLeaseUntil: lease === 0n ? null : timeOf(lease),
    journalEntries: at(HEADER.JOURNAL_HEAD) >>> 0,
    damagedWordsMet: at(HEADER.DAMAGED) >>> 0,
    defaultTimeoutMs: timeoutMs === 0 ? null : timeoutMs,
    defaults: describeShared(readDefaults(memory, shape)),
  }
}

interface Cells {
  readonly cells: NamedCell[]
  readonly unreadable: string[]
}

/** By the verifier's reading of the directory, which goes on where another would give up. */
function cellsOf(buffer: SharedArrayBuffer, memory: Memory, region: RegionShape): Cells {
  const parts = new Parts(buffer, 0)
  const found: Cells = { cells: [], unreadable: [] }
  for (const entry of checkDirectory(parts, BREAKERS, {}, new Map(), () => {})) {
    const { index: number, name, record, definition } = entry
    const defined = readDefinition(memory, region.breakers, definition)
    const { numbers } = defined
    if (!(entry.isSound && areSound(numbers))) {
      found.unreadable.push(entry.name)
      continue
    }
    const place = { memory, clock: NO_CLOCK, region, seed: 0, thread: 0, news: NO_NEWS }
    const shape = recordShapeOf(numbers, region.maxThreads)
    const long = region.breakers.directoryLong + number
    const word = load64(memory, long)
    const cell = makeCell(place, { ...defined, number, name, shape, record, word, long })
    found.cells.push({ name, cell, definition })
  }
  return found
}

interface Controls {
  readonly found: Control[]
  readonly unreadable: string[]
}

/** Likewise. What is counted in their windows is asked by `clock`. */
function controlsOf(
  buffer: SharedArrayBuffer,
  memory: Memory,
  region: RegionShape,
  clock: Clock,
): Controls {
  const parts = new Parts(buffer, 0)
  const controls: Controls = { found: [], unreadable: [] }
  for (const entry of checkDirectory(parts, CONTROLS, {}, new Map(), () => {})) {
    const { index: number, name, record } = entry
    const numbers = Object.freeze([...entry.numbers])
    if (!(entry.isSound && areControlsSound(numbers))) {
      controls.unreadable.push(name)
      continue
    }
    const shape = controlShapeOf(numbers, region.maxThreads)
    const place = { memory, clock, region, seed: 0, thread: 0 }
    const said = { name, numbers, number, createdAt: entry.created, shape, record }
    controls.found.push({ ...place, ...said, state: record + CONTROL.STATE })
  }
  return controls
}

/** Nothing that is read of breakers asks what time it is. */
const NO_CLOCK = Object.freeze({
  current: 0,
  latest: 0,
  glance(): void {},
  refresh(): void {},
  now: () => 0,
})
