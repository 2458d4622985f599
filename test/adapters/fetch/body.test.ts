/** busbar/fetch with `verdictAt: 'body'`: what becomes of the body decides. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { type GuardedFetchOptions, guardedFetch } from '../../../src/adapters/fetch.ts'
import {
  breakerOf,
  FAILURE,
  IGNORED,
  IN_FLIGHT,
  makeRegistry,
  OPTIONS,
  outcomesOf,
  SUCCESS,
  turn,
} from './server.ts'
import { type SetUp, setUp as setUpAny } from './set-up.ts'

const setUp = (options: Partial<GuardedFetchOptions> = {}) =>
  setUpAny({ verdictAt: 'body', ...options })

/** A response of which only a part has come, and how to go on with it. */
async function begin({ guarded, origin, held }: SetUp, init?: RequestInit) {
  const answer = held()
  return { response: await guarded(`${origin}/begin`, init), answer: await answer }
}

it('is a success once it has been read, in whatever way', async () => {
  const ways: ((response: Response) => Promise<unknown>)[] = [
    response => response.text(),
    response => new Response(response.body).blob(),
    response => Promise.all([response.clone().text(), response.text()]),
    async response => {
      for await (const _ of response.body as ReadableStream) void _
    },
  ]
  for (const read of ways) {
    const { guarded, origin, outcomes } = await setUp()
    const response = await guarded(`${origin}/status/200`)
    await turn()
    expect(outcomes()).toEqual(IN_FLIGHT)
    await read(response)
    await turn()
    expect(outcomes()).toEqual(SUCCESS)
  }
})

it('is a failure where it breaks off, read or not', async () => {
  const reads: ((response: Response) => unknown)[] = [
    response => expect(response.text()).rejects.toThrow('terminated'),
    response => expect(response.clone().text()).rejects.toThrow('terminated'),
    () => {},
  ]
  for (const read of reads) {
    const all = await setUp()
    const { response, answer } = await begin(all)
    const reading = read(response)
    answer.destroy()
    await reading
    for (let turns = 0; turns < 10_000 && all.outcomes().inFlight === 1; turns++) await turn()
    expect(all.outcomes()).toEqual(FAILURE)
  }
})

it('that breaks off is what classifyError says', async () => {
  const all = await setUp({ classifyError: () => 'ignored' })
  const { response, answer } = await begin(all)
  answer.destroy()
  await expect(response.text()).rejects.toThrow('terminated')
  await turn()
  expect(all.outcomes()).toEqual(IGNORED)
})

it('is a success where the caller wants no more of it', async () => {
  const leaves: ((body: ReadableStream) => Promise<void>)[] = [
    body => body.cancel(),
    async body => {
      for await (const _ of body) break
    },
  ]
  for (const leave of leaves) {
    const all = await setUp()
    const { response } = await begin(all)
    await leave(response.body as ReadableStream)
    await turn()
    expect(all.outcomes()).toEqual(SUCCESS)
  }
})

it.each([
  ['by the caller, is ignored', undefined, IGNORED],
  // As AbortSignal.timeout does, at a moment of the test's choice.
  ['by a timeout, is a failure', new DOMException('aborted late', 'TimeoutError'), FAILURE],
])('that is aborted %s', async (_, reason, outcome) => {
  const all = await setUp()
  const controller = new AbortController()
  const { response } = await begin(all, { signal: controller.signal })
  controller.abort(reason)
  await expect(response.text()).rejects.toThrow('aborted')
  await turn()
  expect(all.outcomes()).toEqual(outcome)
})

it.each([
  ['/status/204', 'GET', SUCCESS],
  ['/status/200', 'HEAD', SUCCESS],
  ['/empty', 'GET', SUCCESS],
  ['/status/503', 'GET', FAILURE],
])('is not waited for: %s %s', async (path, method, outcome) => {
  const { guarded, origin, outcomes } = await setUp()
  await guarded(origin + path, { method })
  expect(outcomes()).toEqual(outcome)
})

it('of a stub is not watched', async () => {
  const registry = makeRegistry()
  const fetch = async () => ({ status: 200, headers: new Headers(), body: 'text' })
  const guarded = guardedFetch(registry, {
    ...OPTIONS,
    verdictAt: 'body',
    fetch,
    key: () => 'stub',
  })
  expect(await guarded()).toMatchObject({ body: 'text' })
  expect(outcomesOf(breakerOf(registry, 'fetch:stub'))).toEqual(SUCCESS)
})

it('that is dropped unread is a success once it was collected', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const { guarded, origin, outcomes } = await setUp()
  await guarded(`${origin}/status/200`)
  expect(outcomes()).toEqual(IN_FLIGHT)
  for (let times = 0; times < 100 && outcomes().inFlight === 1; times++) {
    collect()
    await turn()
  }
  expect(outcomes()).toEqual(SUCCESS)
})
