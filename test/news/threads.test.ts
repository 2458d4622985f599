/** News in several threads: each listener hears everything once, and one of them announces it. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import {
  createRegistry,
  type Registry,
  type RegistryOptions,
  type StateChange,
} from '../../src/index.ts'
import { until } from '../threads/crew.ts'

const BREAKERS = ['a', 'b', 'c']

function make(options: RegistryOptions = {}): Registry {
  const registry = createRegistry({ maxBreakers: 8, maxThreads: 8, keeper: false, ...options })
  for (const name of BREAKERS) registry.breaker(name)
  onTestFinished(() => registry.close())
  return registry
}

interface Thread {
  readonly worker: Worker
  readonly thread: number
  ask<T>(message: object): Promise<T>
}

async function start(registry: Registry, data: object): Promise<Thread> {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), {
    workerData: { handle: registry.handle, ...data },
  })
  onTestFinished(async () => {
    await worker.terminate()
  })
  const next = async <T>(): Promise<T> => (await once(worker, 'message'))[0] as T
  const { ready } = await next<{ ready: number }>()
  const ask = <T>(message: object): Promise<T> => {
    const answer = next<T>()
    worker.postMessage(message)
    return answer
  }
  return { worker, thread: ready, ask }
}

/** What a thread has heard, once that is as much as all heard together. */
async function heardBy(thread: Thread, length: number): Promise<StateChange[]> {
  for (const deadline = Date.now() + 10_000; ; ) {
    const { heard } = await thread.ask<{ heard: StateChange[] }>({ report: true })
    if (heard.length >= length || Date.now() > deadline) return heard
  }
}

const idOf = ({ breaker, generation }: StateChange) => `${breaker} ${generation}`

it('every listening thread hears every transition once, in order; one hears it as its own', async () => {
  const registry = make()
  const threads = await Promise.all([1, 2, 3, 4].map(() => start(registry, { listens: true })))
  const mine: StateChange[] = []
  registry.on('stateChange', change => mine.push(change))
  const rounds = 20
  const moves = 6 * BREAKERS.length
  for (let round = 0; round < rounds; round++) {
    await Promise.all(threads.map(({ ask }) => ask({ moves, breakers: BREAKERS })))
    // This thread makes no transitions: it may be the slowest, and the journal has 1,024 entries.
    await until(() => mine.length >= (round + 1) * moves * threads.length)
  }
  const total = rounds * moves * threads.length
  const all = [mine, ...(await Promise.all(threads.map(thread => heardBy(thread, total))))]
  for (const heard of all) {
    expect(heard).toHaveLength(total)
    for (const name of BREAKERS) {
      const generations = heard.filter(({ breaker }) => breaker === name)
      expect(generations.map(({ generation }) => generation)).toEqual(
        Array.from({ length: total / BREAKERS.length }, (_, index) => index + 1),
      )
    }
  }
  const own = all.map(heard => heard.filter(({ origin }) => origin === 'self'))
  expect(own.flat().map(idOf).sort()).toEqual(mine.map(idOf).sort())
  // All makers listen: each has announced what it made, and this thread, which made none, nothing,
  // but for those that another thread published before its maker had said who it is.
  for (const [index, heard] of own.entries()) {
    const thread = threads[index - 1]?.thread
    const others = heard.filter(change => (change.thread ?? thread) !== thread)
    expect(others).toEqual([])
  }
  const unknown = mine.filter(({ thread }) => thread === undefined)
  expect(unknown.length).toBeLessThan(total / 4)
})

it('where the maker does not listen, one of the others announces', async () => {
  const registry = make()
  const listeners = await Promise.all([1, 2].map(() => start(registry, { listens: true })))
  const maker = await start(registry, { listens: false })
  const moves = 60
  await maker.ask({ moves, breakers: BREAKERS })
  const heard = await Promise.all(listeners.map(thread => heardBy(thread, moves)))
  expect(heard.map(changes => changes.length)).toEqual([moves, moves])
  expect(heard.flat().filter(({ origin }) => origin === 'self')).toHaveLength(moves)
  for (const { thread, reason, to } of heard.flat()) {
    expect(thread).toBe(maker.thread)
    expect(reason).toBe(to === 'forced-open' ? `${maker.thread}` : 'by hand')
  }
})

it('what a thread hears and what it has missed are all there was, while another never pauses', async () => {
  const registry = make()
  const maker = await start(registry, { listens: false })
  let heard = 0
  let missed = 0
  registry.on('stateChange', () => heard++)
  registry.on('gap', gap => {
    missed += gap.missed
  })
  const moves = 120_000
  await maker.ask({ moves, breakers: BREAKERS })
  await until(() => heard + missed >= moves)
  expect(heard + missed).toBe(moves)
})

it('a thread that makes no calls is woken', async () => {
  const registry = make()
  const { worker } = await start(registry, { listens: true, tells: true })
  const times: number[] = []
  for (let turn = 0; turn < 10; turn++) {
    const told = once(worker, 'message')
    const before = performance.now()
    registry.breaker('b').forceOpen()
    await told
    times.push(performance.now() - before)
  }
  // Without a notice it would look once a second.
  expect(times.sort((a, b) => a - b)[4]).toBeLessThan(500)
})

it('the history tells what a thread did last before it died', async () => {
  const registry = make()
  const { worker, thread } = await start(registry, { listens: true })
  const exited = once(worker, 'exit')
  worker.postMessage({ die: true })
  await exited
  expect(registry.history()).toMatchObject([
    { breaker: 'b', to: 'forced-open', thread, reason: 'last words' },
  ])
})

it('what the keeper does is announced too', async () => {
  const registry = make({ keeper: true })
  const breaker = registry.breaker('trials', {
    waitDurationInOpenStateMs: 0,
    permittedNumberOfCallsInHalfOpenState: 1,
    trialTimeoutMs: 30,
  })
  breaker.open()
  expect(breaker.tryAcquire()).toBeGreaterThan(0)
  const heard: StateChange[] = []
  registry.on('stateChange', change => heard.push(change))
  await until(() => heard.length > 0)
  const reason = 'trials failed'
  expect(heard).toMatchObject([{ from: 'half-open', to: 'open', reason, origin: 'self' }])
})

it('listening keeps no process alive', async () => {
  const script = fileURLToPath(new URL('exits.mjs', import.meta.url))
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], {
    timeout: 20_000,
  })
  expect(stderr).toBe('')
  expect(stdout.split('\n').slice(0, -1)).toEqual(['disabled', 'closed'])
})
