/** Reads the options of a registry. */
import { isMainThread } from 'node:worker_threads'
import { describe, InvalidOptionError, OptionsMismatchError } from '../errors.ts'
import { LOCAL_KEYS, NO_LOCAL, type ResolvedLocal, resolveLocal } from './breaker.ts'
import { DEFAULT_KERNEL, type KernelKind } from './default-kernel.ts'
import { type Fields, numberOf, readFields, TICK_MS, wholeBetween } from './read.ts'
import { NO_SETS, type OptionSets, packSets, readOptionSets } from './sets.ts'
import {
  applyShared,
  DEFAULT_NUMBERS,
  readShared,
  requireCountable,
  requireSameShared,
  SHARED_KEYS,
  type SharedNumbers,
} from './shared.ts'

const KEYS = [
  'maxBreakers',
  'maxControls',
  'maxThreads',
  'keeper',
  'kernel',
  'clock',
  'defaults',
  'optionSets',
  'import',
] as const
const BREAKERS = wholeBetween(1, 65_536)
const CONTROLS = wholeBetween(1, 65_536)
const THREADS = wholeBetween(1, 1023)
const DEFAULT_TICK_MS = 5

export interface ResolvedRegistry {
  readonly maxBreakers: number
  readonly maxControls: number
  readonly maxThreads: number
  readonly manualClock: boolean
  /** 0: no keeper. */
  readonly tickMs: number
  readonly kernel: KernelKind
  readonly defaults: SharedNumbers
  readonly local: ResolvedLocal
  readonly optionSets: OptionSets
  /** As it was given: src/warm-start reads it. */
  readonly imported: unknown
}

const DEFAULTS: ResolvedRegistry = Object.freeze({
  maxBreakers: 256,
  maxControls: 256,
  maxThreads: 64,
  manualClock: false,
  tickMs: isMainThread ? DEFAULT_TICK_MS : 0,
  kernel: DEFAULT_KERNEL,
  defaults: DEFAULT_NUMBERS,
  local: NO_LOCAL,
  optionSets: NO_SETS,
  imported: undefined,
})

export function readRegistryOptions(options: unknown, base = DEFAULTS): ResolvedRegistry {
  if (options === undefined) return base
  const fields = readFields('options', options, KEYS)
  const breakerFields = fields.has('defaults')
    ? readFields('options.defaults', fields.get('defaults'), [...SHARED_KEYS, ...LOCAL_KEYS])
    : new Map<string, unknown>()
  const manualClock = readClock(fields, base.manualClock)
  return Object.freeze({
    maxBreakers: numberOf('options', fields, 'maxBreakers', BREAKERS, base.maxBreakers),
    maxControls: numberOf('options', fields, 'maxControls', CONTROLS, base.maxControls),
    maxThreads: numberOf('options', fields, 'maxThreads', THREADS, base.maxThreads),
    manualClock,
    tickMs: readKeeper(fields, manualClock, base.tickMs),
    kernel: readKernel(fields, base.kernel),
    defaults: requireCountable(
      applyShared(base.defaults, readShared('options.defaults', breakerFields)),
    ),
    local: resolveLocal('options.defaults', breakerFields, base.local),
    optionSets: fields.has('optionSets')
      ? readOptionSets('options.optionSets', fields.get('optionSets'))
      : base.optionSets,
    imported: fields.get('import'),
  })
}

function readClock(fields: Fields, fallback: boolean): boolean {
  const clock = fields.get('clock')
  if (clock === undefined) return fallback
  if (clock === 'manual' || clock === 'monotonic') return clock === 'manual'
  throw new InvalidOptionError('options.clock', clock, "'monotonic' or 'manual'")
}

function readKernel(fields: Fields, fallback: KernelKind): KernelKind {
  const kernel = fields.get('kernel')
  if (kernel === undefined) return fallback
  if (kernel === 'js' || kernel === 'wasm') return kernel
  throw new InvalidOptionError('options.kernel', kernel, "'js' or 'wasm'")
}

function readKeeper(fields: Fields, manualClock: boolean, fallback: number): number {
  const keeper = fields.get('keeper')
  if (keeper === undefined) return manualClock ? 0 : fallback
  if (keeper === false) return 0
  if (manualClock) {
    throw new InvalidOptionError('options.keeper', keeper, "false where the clock is 'manual'")
  }
  if (keeper === true) return DEFAULT_TICK_MS
  const what = 'options.keeper'
  return numberOf(what, readFields(what, keeper, ['tickMs']), 'tickMs', TICK_MS, DEFAULT_TICK_MS)
}

/** Reads options given for a registry that exists: what they say must be what it was made with. */
export function readSameRegistryOptions(
  options: unknown,
  made: ResolvedRegistry,
): ResolvedRegistry {
  const asked = readRegistryOptions(options, made)
  for (const key of [
    'maxBreakers',
    'maxControls',
    'maxThreads',
    'manualClock',
    'kernel',
  ] as const) {
    requireSame(key, made[key], asked[key])
  }
  requireSame('keeper.tickMs', made.tickMs, asked.tickMs)
  requireSameShared('the registry', made.defaults, asked.defaults)
  const [before, after] = [made, asked].map(({ optionSets }) => packSets(optionSets))
  requireSame('optionSets', JSON.stringify(before), JSON.stringify(after))
  requireSame('defaults.timeoutMs', made.local.timeoutMs, asked.local.timeoutMs)
  return asked
}

/** Functions stay in their thread: they are compared there only. */
export function requireSameFunctions(made: ResolvedLocal, asked: ResolvedLocal): void {
  requireSame('defaults.isFailure', made.isFailure, asked.isFailure)
  requireSame('defaults.classifyError', made.classifyError, asked.classifyError)
}

function requireSame(key: string, made: unknown, asked: unknown): void {
  if (asked === made) return
  const [before, after] = [made, asked].map(value =>
    typeof value === 'function' ? describe(value) : (value ?? 'nothing'),
  )
  throw new OptionsMismatchError('the registry', { [key]: before }, { [key]: after })
}
