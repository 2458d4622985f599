/** What may be given to guardedFetch: what is refused, and `Retry-After`. */
import { describe, expect, it } from 'vitest'
import { type GuardedFetchOptions, guardedFetch } from '../../../src/adapters/fetch.ts'
import { InvalidOptionError } from '../../../src/index.ts'
import { makeRegistry, OPTIONS } from './server.ts'
import { type SetUp, setUp } from './set-up.ts'

describe('Retry-After', () => {
  async function openWith(seconds: string, options: Partial<GuardedFetchOptions>): Promise<SetUp> {
    const all = await setUp(options)
    for (let call = 0; call < 2; call++) {
      await all.guarded(`${all.origin}/status/503?retry-after=${seconds}`)
    }
    return all
  }

  it('of the failure that opens is the least wait, and says so', async () => {
    const all = await openWith('30', { maxRetryAfterMs: 60_000 })
    const { guarded, origin, breaker, registry } = all
    expect(breaker().retryAfterMs()).toBe(30_000)
    await expect(guarded(origin)).rejects.toThrow('forced-open: Retry-After')
    registry.advance(30_000)
    expect((await guarded(origin)).status).toBe(200)
    expect(breaker().state).toBe('closed')
  })

  it.each([
    ['is cut at the most that may be', '3600', { maxRetryAfterMs: 60_000 }, 60_000],
    [
      'leaves a longer wait',
      '30',
      { maxRetryAfterMs: 60_000, waitDurationInOpenStateMs: 45_000 },
      45_000,
    ],
    ['is not honoured unless that is asked for', '30', {}, 1_000],
    ['that says nothing changes nothing', 'soon', { maxRetryAfterMs: 60_000 }, 1_000],
  ])('%s', async (_, seconds, options, waitMs) => {
    const { breaker } = await openWith(seconds, options)
    expect(breaker().retryAfterMs()).toBe(waitMs)
  })

  it('of a failure that does not open does not either', async () => {
    const { guarded, origin, breaker } = await setUp({ maxRetryAfterMs: 60_000 })
    await guarded(`${origin}/status/503?retry-after=30`)
    expect(breaker().state).toBe('closed')
  })
})

it.each([
  ['options', undefined],
  ['options.max', { max: undefined }],
  ['options.fetch', { fetch: 'fetch' }],
  ['options.key', { key: 'host' }],
  ['options.isFailure', { isFailure: 500 }],
  ['options.verdictAt', { verdictAt: 'trailers' }],
  ['options.maxRetryAfterMs', { maxRetryAfterMs: Number.NaN }],
  ['options.timeoutMs', { timeoutMs: 5 }],
  ['options.failureRate', { failureRate: 0.5 }],
  ['options.prefix', { prefix: 5 }],
])('refuses bad %s', (option, given) => {
  const registry = makeRegistry()
  const options = given && { ...OPTIONS, ...given }
  const make = () => guardedFetch(registry, options as unknown as GuardedFetchOptions)
  expect(make).toThrow(InvalidOptionError)
  expect(make).toThrow(option)
})
