/** What the migration pages say of busbar is what busbar does: every name in them, every snippet. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as cockatiel from 'cockatiel'
import { describe, expect, it } from 'vitest'
import * as busbar from '../../src/index.ts'
import { renderPrometheus } from '../../src/telemetry/prometheus.ts'
import { brokenRowsOf, claimsOf, PAGES, ROOT, readPage, snippetsOf } from './pages.ts'

/** The names that the pages use without saying what they are. */
async function scope(): Promise<Record<string, unknown>> {
  const registry = busbar.createRegistry({ keeper: false, clock: 'manual', maxThreads: 2 })
  const breaker = registry.breaker('b')
  const open = registry.breaker('open')
  await open.execute(() => Promise.reject(new Error('503'))).catch(() => {})
  open.forceOpen()
  return {
    ...busbar,
    renderPrometheus,
    registry,
    breaker,
    name: 'new',
    fn: async () => 'done',
    listener: () => {},
    permit: breaker.tryAcquire(),
    signal: new AbortController().signal,
    error: await open.execute(() => {}).catch((error: unknown) => error),
    kept: registry.export(),
  }
}

/** Runs one expression; where it reads a property, that must be there. */
async function run(expression: string): Promise<void> {
  const names = await scope()
  const evaluate = (code: string): unknown =>
    new Function(...Object.keys(names), `return (${code})`)(...Object.values(names))
  const [, object, property] = expression.match(/^(\w+)\.(\w+)$/) ?? []
  if (object !== undefined && property !== undefined) {
    expect(Object(evaluate(object))).toHaveProperty(property)
  }
  await evaluate(expression)
}

describe.each(PAGES)('the page for users of %s', library => {
  const page = readPage(library)
  const claims = claimsOf(page)

  it('has tables of three columns', () => {
    expect(brokenRowsOf(page)).toEqual([])
    expect(claims.length).toBeGreaterThan(25)
  })

  it.each(claims)('names what there is: $expression', async ({ expression }) => {
    await run(expression)
  })

  it('has snippets that print what they say', async () => {
    const snippets = snippetsOf(page)
    expect(snippets.length).toBeGreaterThan(0)
    for (const { text, prints } of snippets) {
      expect(prints.length).toBeGreaterThan(0)
      const running = promisify(execFile)(process.execPath, ['--input-type=module', '-e', text], {
        cwd: ROOT,
      })
      const { stdout, stderr } = await running
      expect(stderr).toBe('')
      expect(stdout.trimEnd().split('\n')).toEqual(prints)
    }
  })
})

it('what there is not is found out', async () => {
  await expect(run('breaker.lastFailure')).rejects.toThrow()
  await expect(run('breaker.forceOpen({ ttl: 5 })')).rejects.toThrow(/there is no such option/)
  await expect(run('registry.breaker(name, { failureRate: 1 })')).rejects.toThrow()
})

const ASKED: Record<(typeof PAGES)[number], readonly string[]> = {
  // Every policy of the installed version, and what a breaker and its policy have.
  cockatiel: [
    ...Object.keys(cockatiel).filter(key => /^(?:bulkhead|fallback|retry|timeout|wrap)$/.test(key)),
    ...Object.keys(cockatiel).filter(key => /\wBreaker$/.test(key)),
    ...['threshold', 'size', 'minimumNumberOfCalls', 'duration', 'minimumRps', 'halfOpenAfter'],
    ...['initialState', 'toJSON', 'isolate', 'onBreak', 'onReset', 'onHalfOpen', 'onStateChange'],
    ...['onSuccess', 'onFailure', 'state', 'lastFailure', 'execute', 'handleType', 'handleWhen'],
    ...['handleWhenResult', 'maxAttempts', 'BrokenCircuitError', 'IsolatedCircuitError'],
  ],
  // The fields of CircuitBreakerConfig.
  resilience4j: [
    ...['failureRateThreshold', 'slidingWindowType', 'slidingWindowSize', 'minimumNumberOfCalls'],
    ...['slowCallDurationThreshold', 'slowCallRateThreshold', 'waitDurationInOpenState'],
    ...['waitIntervalFunctionInOpenState', 'permittedNumberOfCallsInHalfOpenState'],
    ...['maxWaitDurationInHalfOpenState', 'automaticTransitionFromOpenToHalfOpenEnabled'],
    ...['recordException', 'recordExceptions', 'ignoreException', 'ignoreExceptions'],
    ...['recordResult', 'transitionOnResult', 'writableStackTraceEnabled'],
    'currentTimestampFunction',
  ],
  // The properties of CircuitBreakerStrategyOptions, and the strategies that there are.
  polly: [
    ...['FailureRatio', 'MinimumThroughput', 'SamplingDuration', 'BreakDuration', 'ShouldHandle'],
    ...['BreakDurationGenerator', 'OnOpened', 'OnClosed', 'OnHalfOpened', 'ManualControl'],
    ...['StateProvider', 'AddRetry', 'AddTimeout', 'AddConcurrencyLimiter', 'AddFallback'],
    ...['AddRateLimiter', 'hedging', 'chaos'],
  ],
}

it.each(Object.entries(ASKED))(
  'the page for %s leaves none of its options out',
  (library, names) => {
    expect(names.length).toBeGreaterThan(15)
    const page = readPage(library)
    const missing = names.filter(name => !new RegExp(`\\b${name}\\b`).test(page))
    expect(missing).toEqual([])
  },
)

it('the index names every page', () => {
  const index = readPage('README')
  for (const page of ['opossum', ...PAGES]) expect(index).toContain(`(${page}.md)`)
})
