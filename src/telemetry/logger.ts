/**
 * Logs what happens to the breakers of a process, each transition once however many threads listen.
 * The logger is called as pino is, `logger.warn(fields, sentence)`, so most others will do too.
 */
import { InvalidOptionError } from '../errors.ts'
import { STATE_NAMES, type State } from '../memory/words/state.ts'
import type { StateChange } from '../news/events.ts'
import { readFields } from '../options/read.ts'
import type { Registry } from '../registry.ts'
import { isThenable } from '../settlement.ts'

type Method = 'info' | 'warn' | 'error'

/** What is used of a logger: pino's, bunyan's and Fastify's have it, `console` too. */
export interface Logger {
  info(fields: object, message: string): unknown
  warn(fields: object, message: string): unknown
  error(fields: object, message: string): unknown
}

export type LogLevel = Method | 'silent'

export interface LogOptions {
  /**
   * How loud it is said that a breaker reached a state. Default: `'warn'` for open, forced-open and
   * disabled, where calls are refused or go unguarded, else `'info'`; `'silent'` says nothing.
   */
  readonly levels?: Readonly<Partial<Record<State, LogLevel | undefined>>> | undefined
}

export interface Logging {
  stop(): void
  [Symbol.dispose](): void
}

const METHODS: readonly Method[] = ['info', 'warn', 'error']
const LEVELS: readonly unknown[] = [...METHODS, 'silent']

const DEFAULT_LEVELS: Readonly<Record<State, LogLevel>> = {
  closed: 'info',
  'half-open': 'info',
  'metrics-only': 'info',
  open: 'warn',
  'forced-open': 'warn',
  disabled: 'warn',
}

/**
 * Logs the transitions of all breakers until it is stopped, at the cost of listening to them. Call
 * it in every thread or in one: each transition is logged once in the process, by one of those that
 * listen. Transitions that came too fast for this thread to follow are a warning of their number.
 *
 * Fields: `breaker`, `from`, `to`, `generation`, `at` (ms of the registry's clock), `reason`,
 * `thread`, and where the state that ended counted any `calls`, `failures`, `slowCalls`,
 * `failureRate`, `slowCallRate`. A logger that throws harms nothing and causes one process warning.
 *
 * @throws InvalidOptionError, NoRegistryError when the registry is closed
 */
export function logStateChanges(registry: Registry, logger: Logger, options?: LogOptions): Logging {
  requireLogger(logger)
  const levels = readLevels(options)
  const log = guarded(logger)
  const onStateChange = (change: StateChange): void => {
    if (change.origin === 'self') log(levels[change.to], fieldsOf(change), sentenceOf(change))
  }
  const onGap = (gap: { readonly missed: number }): void => {
    log('warn', { missed: gap.missed }, `${gap.missed} transitions of circuit breakers were missed`)
  }
  registry.on('stateChange', onStateChange)
  registry.on('gap', onGap)
  const stop = (): void => {
    registry.off('stateChange', onStateChange)
    registry.off('gap', onGap)
  }
  return { stop, [Symbol.dispose]: stop }
}

function fieldsOf({ counts, origin: _, ...fields }: StateChange): object {
  return { ...fields, ...counts }
}

function sentenceOf({ breaker, from, to, reason, counts }: StateChange): string {
  const sentence = `circuit breaker "${breaker}" is ${to}, was ${from}: ${reason}`
  if (counts === undefined || counts.calls === 0) return sentence
  const { calls, failures, slowCalls } = counts
  return `${sentence} (${failures} of ${calls} calls failed, ${slowCalls} slow)`
}

/** The logger, such that what it throws or rejects with ends here. */
function guarded(logger: Logger): (level: LogLevel, fields: object, sentence: string) => void {
  let warned = false
  const warn = (error: unknown): void => {
    if (warned) return
    warned = true
    const why = error instanceof Error ? error.message : typeof error
    process.emitWarning(`busbar: the logger of logStateChanges failed: ${why}`)
  }
  return (level, fields, sentence) => {
    if (level === 'silent') return
    try {
      const answer = logger[level](fields, sentence)
      if (isThenable(answer)) Promise.resolve(answer).catch(warn)
    } catch (error) {
      warn(error)
    }
  }
}

function requireLogger(logger: unknown): void {
  const isObject = (typeof logger === 'object' && logger !== null) || typeof logger === 'function'
  const isLogger =
    isObject && METHODS.every(method => typeof Reflect.get(logger, method) === 'function')
  if (!isLogger) throw new InvalidOptionError('logger', logger, 'an object with info, warn, error')
}

function readLevels(options: unknown): Readonly<Record<State, LogLevel>> {
  if (options === undefined) return DEFAULT_LEVELS
  const given = readFields('options', options, ['levels']).get('levels')
  if (given === undefined) return DEFAULT_LEVELS
  const fields = readFields('options.levels', given, STATE_NAMES)
  for (const [state, level] of fields) {
    if (!LEVELS.includes(level)) {
      throw new InvalidOptionError(`options.levels.${state}`, level, LEVELS.join(', '))
    }
  }
  return { ...DEFAULT_LEVELS, ...Object.fromEntries(fields) }
}
