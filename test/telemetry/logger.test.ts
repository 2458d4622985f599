/** logStateChanges: what is logged, how loudly, how often, and what a bad logger does: nothing. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { attachRegistry, type Registry } from '../../src/index.ts'
import type { StateChange } from '../../src/news/events.ts'
import { type Logger, type LogOptions, logStateChanges } from '../../src/telemetry/logger.ts'
import { make, makeBrittle, nextMacrotask, thrownBy } from '../unit/execute-support.ts'

type Line = readonly [level: string, fields: object, sentence: string]

function collect(): { readonly lines: Line[]; readonly logger: Logger } {
  const lines: Line[] = []
  const at = (level: string) => (fields: object, sentence: string) => {
    lines.push([level, fields, sentence])
  }
  return { lines, logger: { info: at('info'), warn: at('warn'), error: at('error') } }
}

/** A registry whose news are what the test says, for what cannot be brought about at will. */
function fakeRegistry(): { readonly registry: Registry; tell(event: string, news: object): void } {
  const listeners: [string, (news: object) => void][] = []
  const on = (event: string, listener: (news: object) => void): void => {
    listeners.push([event, listener])
  }
  const tell = (event: string, news: object): void => {
    for (const [of, listener] of listeners) if (of === event) listener(news)
  }
  return { registry: { on, off: () => {} } as unknown as Registry, tell }
}

const CHANGE: StateChange = {
  breaker: 'b',
  from: 'closed',
  to: 'open',
  generation: 1,
  at: 5,
  reason: 'failure rate',
  thread: 3,
  counts: { calls: 20, failures: 15, slowCalls: 2, failureRate: 0.75, slowCallRate: 0.1 },
  origin: 'self',
}

describe('logStateChanges', () => {
  it('logs the life of a breaker', async () => {
    const { registry, breaker } = makeBrittle({ permittedNumberOfCallsInHalfOpenState: 1 })
    const { lines, logger } = collect()
    logStateChanges(registry, logger)
    breaker.recordFailure(breaker.tryAcquire())
    registry.advance(1000)
    breaker.recordSuccess(breaker.tryAcquire())
    breaker.forceOpen({ reason: 'maintenance' })
    breaker.disable()
    await nextMacrotask()
    expect(lines.map(([level, , sentence]) => `${level}: ${sentence}`)).toEqual([
      expect.stringMatching(/^warn: circuit breaker "dependency" is open, was closed: failures in/),
      'info: circuit breaker "dependency" is half-open, was open: wait over',
      expect.stringMatching(/^info: circuit breaker "dependency" is closed, was half-open: trials/),
      'warn: circuit breaker "dependency" is forced-open, was closed: maintenance',
      'warn: circuit breaker "dependency" is disabled, was forced-open: by hand',
    ])
    expect(lines[0]?.[1]).toMatchObject({
      breaker: 'dependency',
      from: 'closed',
      to: 'open',
      generation: 1,
      at: expect.any(Number),
      reason: 'failures in a row',
      thread: expect.any(Number),
    })
  })

  it('says what had been counted, in fields and in words', () => {
    const { registry, tell } = fakeRegistry()
    const { lines, logger } = collect()
    logStateChanges(registry, logger)
    tell('stateChange', CHANGE)
    tell('stateChange', { ...CHANGE, counts: undefined })
    const { counts, origin: _, ...fields } = CHANGE
    const sentence = 'circuit breaker "b" is open, was closed: failure rate'
    expect(lines).toEqual([
      ['warn', { ...fields, ...counts }, `${sentence} (15 of 20 calls failed, 2 slow)`],
      ['warn', fields, sentence],
    ])
  })

  it('logs each transition once, however many listen', async () => {
    const { registry, breaker } = makeBrittle()
    const other = attachRegistry(registry.handle)
    const { lines, logger } = collect()
    logStateChanges(registry, logger)
    const { registry: elsewhere, tell } = fakeRegistry()
    logStateChanges(elsewhere, logger)
    tell('stateChange', { ...CHANGE, origin: 'other' })
    other.get(breaker.name)?.open()
    await nextMacrotask()
    expect(lines).toHaveLength(1)
    other.close()
  })

  it('warns of transitions that it did not see', () => {
    const { registry, tell } = fakeRegistry()
    const { lines, logger } = collect()
    logStateChanges(registry, logger)
    tell('gap', { missed: 512 })
    expect(lines).toEqual([
      ['warn', { missed: 512 }, '512 transitions of circuit breakers were missed'],
    ])
  })

  it('is as loud as it is told, state by state', async () => {
    const { registry, breaker } = make()
    const { lines, logger } = collect()
    logStateChanges(registry, logger, { levels: { open: 'error', closed: 'silent' } })
    breaker.open()
    breaker.reset()
    breaker.metricsOnly()
    await nextMacrotask()
    expect(lines.map(([level]) => level)).toEqual(['error', 'info'])
  })

  it('calls methods of the logger, as those that read `this` need', async () => {
    const { registry, breaker } = make()
    class Plain implements Logger {
      readonly seen: string[] = []
      info(_: object, sentence: string): void {
        this.seen.push(sentence)
      }
      warn(_: object, sentence: string): void {
        this.seen.push(sentence)
      }
      error(): void {}
    }
    const logger = new Plain()
    logStateChanges(registry, logger)
    breaker.open()
    await nextMacrotask()
    expect(logger.seen).toHaveLength(1)
  })

  it('ends with stop, with dispose, and with the registry', async () => {
    const { registry, breaker } = make()
    const { lines, logger } = collect()
    const logging = logStateChanges(registry, logger)
    {
      using _ = logStateChanges(registry, logger)
    }
    breaker.open()
    await nextMacrotask()
    expect(lines).toHaveLength(1)
    logging.stop()
    logging.stop()
    breaker.reset()
    await nextMacrotask()
    expect(lines).toHaveLength(1)
    const last = logStateChanges(registry, logger)
    registry.close()
    last.stop()
  })
})

describe('a logger that fails', () => {
  const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  afterEach(() => {
    warning.mockClear()
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejects', () => Promise.reject(new Error('disk full'))],
  ])('%s: harms nobody, and one process warning says so', async (_, fail) => {
    const { registry, breaker } = make()
    const { lines, logger } = collect()
    logStateChanges(registry, { info: fail, warn: fail, error: fail })
    logStateChanges(registry, logger)
    breaker.open()
    breaker.reset()
    await nextMacrotask()
    expect(lines).toHaveLength(2)
    expect(warning.mock.calls).toEqual([
      ['busbar: the logger of logStateChanges failed: disk full'],
    ])
  })
})

describe('bad input', () => {
  const { registry } = make()
  const { logger } = collect()

  it.each([undefined, null, 'pino', {}, { info: () => {}, warn: () => {} }])('a logger %o', bad => {
    expect(thrownBy(() => logStateChanges(registry, bad as unknown as Logger))).toMatchObject({
      code: 'ERR_INVALID_OPTION',
      option: 'logger',
    })
  })

  it.each<[object, string]>([
    [{ level: 'info' }, 'options.level'],
    [{ levels: { ajar: 'info' } }, 'options.levels.ajar'],
    [{ levels: { open: 'loud' } }, 'options.levels.open'],
    [{ levels: ['info'] }, 'options.levels'],
  ])('options %o', (bad, option) => {
    const call = () => logStateChanges(registry, logger, bad as LogOptions)
    expect(thrownBy(call)).toMatchObject({ code: 'ERR_INVALID_OPTION', option })
  })

  it('a closed registry', () => {
    const { registry: closed } = make()
    closed.close()
    expect(thrownBy(() => logStateChanges(closed, logger))).toMatchObject({
      code: 'ERR_NO_REGISTRY',
    })
  })
})
