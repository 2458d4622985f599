/**
 * What a description of the layout consists of. `npm run layout` makes native-layout/ of the data
 * in this folder; nothing here is part of the built package. Offsets and sizes are in bytes.
 */

export type Unit = 'i32' | 'u32' | 'i64' | 'f64'

export const UNIT_BYTES = { i32: 4, u32: 4, i64: 8, f64: 8 } as const

export type WordClass = 'fixed' | 'reused' | 'own' | 'stat' | 'shared' | 'unused'

/** A word: where it stands and what it holds, then what people need to know. */
export interface Word {
  readonly name: string
  /** Of the first, when there are several. */
  readonly offset: number
  /** A unit, or the name of a struct that stands there. */
  readonly type: Unit | StructName
  /** How many follow each other; 1 when left out. */
  readonly count?: number
  /** The name of what is packed into it. */
  readonly packing?: string
  readonly class: WordClass
  readonly writers: string
  readonly legal: string
  /** What happens at the end of its range; left out: it cannot get there. */
  readonly wraps?: string
  readonly meaning: string
  /** The first layout version that has it in this form. */
  readonly since: number
}

export type StructName =
  | 'header'
  | 'options'
  | 'definition'
  | 'thread'
  | 'making'
  | 'entry'
  | 'reason'
  | 'record'
  | 'place'
  | 'stock'
  | 'summary'
  | 'head'
  | 'outcome'
  | 'totals'
  | 'bucket'
  | 'overflow_bucket'
  | 'hung'
  | 'age_bucket'
  | 'tally'
  | 'presence'
  | 'journal_entry'
  | 'throttle_options'
  | 'bulkhead_options'
  | 'retry_budget_options'
  | 'host_group_options'
  | 'host_options'
  | 'throttle'
  | 'bulkhead'
  | 'retry_budget'
  | 'host_group'
  | 'host'
  | 'control_place'
  | 'waiter'

export interface Struct {
  readonly name: StructName
  readonly title: string
  readonly about: string
  readonly size: number
  readonly alignment: number
  /** Whether it starts on a line of its own. */
  readonly ownLine: boolean
  /** Whether the C header has it; what is a single word needs none. */
  readonly inHeader: boolean
  readonly words: readonly Word[]
}

export interface Field {
  readonly name: string
  readonly bits: number
  /** How far it stands from bit 0. */
  readonly shift: number
}

/** A word made of several numbers. */
export interface Packing {
  readonly name: string
  readonly bits: number
  /** Added to the fields; 0 when left out. */
  readonly base?: number
  readonly fields: readonly Field[]
  readonly rule: string
}

export interface Formula {
  readonly name: string
  readonly formula: string
  readonly meaning: string
}

/** A part of a region or of a record. Each starts where the one before it ends. */
export interface Part {
  readonly name: string
  /** What stands there first, and how many of it follow each other: left out where it depends. */
  readonly struct?: StructName
  readonly count?: string
  readonly bytes: string
  readonly meaning: string
}

/** Numbers with names: what a word may hold, or a limit. */
export interface Constant {
  readonly name: string
  readonly value: number
  readonly meaning: string
}

export interface Enumeration {
  readonly name: string
  readonly word: string
  readonly values: readonly Constant[]
}
