/** Calls through adapters on the channels `busbar:execute` and `busbar:refused`. */
import { status as Status } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { CircuitOpenError } from '../../src/index.ts'
import { eventsOf, messagesOf, traceAll } from '../telemetry/channels-support.ts'
import { deadOrigin, turn } from './fetch/server.ts'
import { setUp } from './fetch/set-up.ts'
import { call, make } from './grpc/support.ts'
import { setUp as setUpUndici, VERSIONS } from './undici/set-up.ts'

const WITHOUT_ERROR = ['start', 'end', 'asyncStart', 'asyncEnd']
const WITH_ERROR = ['start', 'end', 'error', 'asyncStart', 'asyncEnd']

describe('fetch', () => {
  it.each([
    ['/status/200', 'success'],
    ['/status/404', 'success'],
    ['/status/503', 'failure'],
  ])('%s: %s, and no error', async (path, outcome) => {
    const { guarded, origin } = await setUp()
    const seen = traceAll()
    await guarded(origin + path)
    expect(eventsOf(seen)).toEqual(WITHOUT_ERROR)
    expect(seen.at(-1)?.copy).toEqual({ breaker: `fetch:${origin}`, outcome, isTrial: false })
    expect(new Set(seen.map(({ trace }) => trace)).size).toBe(1)
  })

  it('an error of the network is a failure that says it', async () => {
    const { guarded } = await setUp()
    const origin = await deadOrigin()
    const seen = traceAll()
    const error = await guarded(origin).catch(reason => reason)
    expect(eventsOf(seen)).toEqual(WITH_ERROR)
    expect(seen.at(-1)?.copy).toMatchObject({ outcome: 'failure', error })
  })

  it("the caller's abort is ignored, and said", async () => {
    const { guarded, origin, held } = await setUp()
    const seen = traceAll()
    const controller = new AbortController()
    const ended = guarded(`${origin}/hold`, { signal: controller.signal }).catch(reason => reason)
    await held()
    expect(eventsOf(seen)).toEqual(['start', 'end'])
    controller.abort()
    const error = await ended
    expect(eventsOf(seen)).toEqual(WITH_ERROR)
    expect(seen.at(-1)?.copy).toMatchObject({ outcome: 'ignored', error })
  })

  it('a refusal is an error of a call that has ended, and is announced once', async () => {
    const { guarded, origin, breaker } = await setUp()
    await guarded(origin)
    breaker().open()
    const seen = traceAll()
    const refused = messagesOf<{ breaker: string }>('busbar:refused')
    await expect(guarded(origin)).rejects.toThrow(CircuitOpenError)
    expect(eventsOf(seen)).toEqual(WITH_ERROR)
    const error = expect.any(CircuitOpenError)
    expect(seen.at(-1)?.copy).toMatchObject({ outcome: 'refused', isTrial: false, error })
    expect(refused.map(({ breaker: name }) => name)).toEqual([`fetch:${origin}`])
  })

  it('a trial is known as one by the time that it may begin', async () => {
    const { guarded, origin, breaker, registry } = await setUp()
    await guarded(origin)
    breaker().open()
    registry.advance(1_000)
    const seen = traceAll()
    await guarded(origin)
    const known = seen.map(({ copy }) => copy.isTrial)
    expect(known).toEqual([false, true, true, true])
    expect(breaker().state).toBe('closed')
  })

  it('with its verdict at the body, ends with the body', async () => {
    const { guarded, origin, held } = await setUp({ verdictAt: 'body' })
    const seen = traceAll()
    const [response, answer] = await Promise.all([guarded(`${origin}/begin`), held()])
    expect(eventsOf(seen)).toEqual(['start', 'end'])
    answer.destroy()
    await expect(response.text()).rejects.toThrow()
    await turn()
    expect(eventsOf(seen)).toEqual(WITH_ERROR)
    expect(seen.at(-1)?.copy.outcome).toBe('failure')
  })

  it('one that began while nobody listened is not traced', async () => {
    const { guarded, origin, held, outcomes } = await setUp({ verdictAt: 'body' })
    const [response, answer] = await Promise.all([guarded(`${origin}/begin`), held()])
    const seen = traceAll()
    answer.end('.'.repeat(96))
    await response.text()
    await turn()
    expect(outcomes()).toMatchObject({ succeeded: 1, inFlight: 0 })
    expect(seen).toEqual([])
  })
})

it.each(VERSIONS)('undici $version: a failing response, then a refusal', async version => {
  const { request, breaker, origin } = await setUpUndici(version)
  const seen = traceAll()
  await (await request(`${origin}/status/503`)).body.dump()
  expect(eventsOf(seen)).toEqual(WITHOUT_ERROR)
  expect(seen.at(-1)?.copy).toMatchObject({ breaker: `undici:${origin}`, outcome: 'failure' })
  breaker().open()
  const before = seen.length
  await expect(request(origin)).rejects.toThrow(CircuitOpenError)
  expect(eventsOf(seen.slice(before))).toEqual(WITH_ERROR)
  expect(seen.at(-1)?.copy.outcome).toBe('refused')
})

it('gRPC: an answer, a failing status, one that the caller gave up', async () => {
  const { client } = await make()
  const seen = traceAll()
  const ends = async (code: number) => {
    const before = seen.length
    await call(client, { values: [7], code })
    return [eventsOf(seen.slice(before)), seen.at(-1)?.copy] as const
  }
  expect(await ends(Status.OK)).toMatchObject([WITHOUT_ERROR, { outcome: 'success' }])
  const { UNAVAILABLE, CANCELLED } = Status
  const failed = { outcome: 'failure', error: { code: UNAVAILABLE } }
  expect(await ends(UNAVAILABLE)).toMatchObject([WITH_ERROR, failed])
  const ignored = { outcome: 'ignored', error: { code: CANCELLED } }
  expect(await ends(CANCELLED)).toMatchObject([WITH_ERROR, ignored])
})
