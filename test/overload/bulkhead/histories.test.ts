/**
 * Random histories against a sequential reference: places are a number, the queue is a list. Calls
 * wait in one handle; another takes and frees places too.
 */
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { attachRegistry, BulkheadFullError, createRegistry, REFUSED } from '../../../src/index.ts'
import { type Fate, fateOf, microtasks, REGISTRY } from './support.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const STEP = fc.oneof(
  fc.record({ do: fc.constant('try' as const), handle: fc.integer({ min: 0, max: 1 }) }),
  fc.record({ do: fc.constant('wait' as const) }),
  fc.record({ do: fc.constant('release' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('again' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('abort' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 60 }) }),
)

const OPTIONS = fc.record({
  maxConcurrentCalls: fc.integer({ min: 1, max: 4 }),
  maxQueuedCalls: fc.integer({ min: 0, max: 4 }),
  maxWaitMs: fc.integer({ min: 1, max: 150 }),
})

interface Call {
  readonly handle: number
  readonly arrivedAt: number
  readonly caller: AbortController
  fate: Fate
  state: 'waiting' | 'in flight' | 'ended' | 'refused' | 'aborted'
  waitedMs?: number
}

class Reference {
  readonly calls: Call[] = []
  readonly max: { calls: number; queued: number; waitMs: number }
  admitted = 0
  completed = 0
  refused = 0
  late = 0

  constructor(calls: number, queued: number, waitMs: number) {
    this.max = { calls, queued, waitMs }
  }

  in(state: Call['state']): Call[] {
    return this.calls.filter(call => call.state === state)
  }

  isFull(): boolean {
    return this.in('in flight').length >= this.max.calls
  }

  admit(call: Call): void {
    call.state = 'in flight'
    this.admitted++
  }

  refuse(call: Call, waitedMs = 0): void {
    Object.assign(call, { state: 'refused', waitedMs })
    this.refused++
  }

  /** Those whose time is over leave, then who is first gets what is free. */
  settle(now: number): void {
    for (const call of this.in('waiting')) {
      const waitedMs = now - call.arrivedAt
      if (waitedMs >= this.max.waitMs) this.refuse(call, waitedMs)
    }
    for (const call of this.in('waiting')) if (!this.isFull()) this.admit(call)
  }
}

it('histories of calls that wait, are given up and end: every answer, every count', async () => {
  const history = fc.asyncProperty(
    OPTIONS,
    fc.array(STEP, { maxLength: 80 }),
    async (options, steps) => {
      using registry = createRegistry(REGISTRY)
      using second = attachRegistry(registry.handle)
      const handles = [registry, second].map(each => each.bulkhead('b', options))
      const handleOf = (index: number) => handles[index] as (typeof handles)[0]
      const { maxConcurrentCalls, maxQueuedCalls, maxWaitMs } = options
      const reference = new Reference(maxConcurrentCalls, maxQueuedCalls, maxWaitMs)
      const make = (handle: number): Call => {
        const caller = new AbortController()
        const call = { handle, caller, arrivedAt: registry.now(), fate: {}, state: 'waiting' }
        reference.calls.push(call as Call)
        return call as Call
      }
      const pick = (calls: Call[], which: number): Call | undefined => calls[which % calls.length]

      for (const step of steps) {
        if (step.do === 'advance') registry.advance(step.ms)
        if (step.do === 'try') {
          const call = make(step.handle)
          const isRefused = reference.isFull() || reference.in('waiting').length > 1
          if (isRefused) reference.refuse(call)
          else reference.admit(call)
          const permit = handleOf(step.handle).tryAcquire()
          expect(permit === REFUSED).toBe(isRefused)
          call.fate = { value: permit }
        }
        if (step.do === 'wait') {
          const waiting = reference.in('waiting').length
          const call = make(0)
          if (waiting === 0 && !reference.isFull()) reference.admit(call)
          else if (waiting >= maxQueuedCalls) reference.refuse(call)
          call.fate = fateOf(handleOf(0).acquire({ signal: call.caller.signal }))
        }
        if (step.do === 'release') {
          const call = pick(reference.in('in flight'), step.which)
          if (call === undefined) continue
          call.state = 'ended'
          reference.completed++
          handleOf(call.handle).release(call.fate.value as number)
        }
        if (step.do === 'again') {
          const call = pick(reference.in('ended'), step.which)
          if (call === undefined) continue
          reference.late++
          handleOf(call.handle).release(call.fate.value as number)
        }
        if (step.do === 'abort') {
          const call = pick(reference.in('waiting'), step.which)
          if (call === undefined) continue
          call.state = 'aborted'
          call.caller.abort('given up')
        }
        // The thread looks again.
        vi.advanceTimersByTime(5)
        await microtasks()
        reference.settle(registry.now())
        expectSame(reference, handleOf(0).snapshot())
      }
      for (const { caller, state } of reference.calls) if (state === 'waiting') caller.abort()
      await microtasks()
    },
  )
  await fc.assert(history, { numRuns: 400 })
})

function expectSame(reference: Reference, snapshot: object): void {
  const { admitted, completed, refused, late } = reference
  expect(snapshot).toMatchObject({
    inFlight: reference.in('in flight').length,
    queued: reference.in('waiting').length,
    totals: { admitted, completed, refused, late, abandoned: 0 },
  })
  for (const { state, fate, waitedMs } of reference.calls) {
    if (state === 'waiting') expect(fate).toEqual({})
    if (state === 'in flight') expect(fate.value).toBeGreaterThan(0)
    if (state === 'aborted') expect(fate).toEqual({ error: 'given up' })
    if (state !== 'refused' || fate.value === REFUSED) continue
    expect(fate.error).toBeInstanceOf(BulkheadFullError)
    expect(fate.error).toMatchObject({ waitedMs })
  }
}
