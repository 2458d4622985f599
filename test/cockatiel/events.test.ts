/** The events of the policies, as listeners of cockatiel's own know them. */
import {
  CircuitState,
  Event,
  fallback,
  handleAll,
  type IFailureEvent,
  type IPolicy,
  type ISuccessEvent,
  wrap,
} from 'cockatiel'
import { describe, expect, it } from 'vitest'
import { cockatielPolicy, type Part } from '../../src/cockatiel/cockatiel.ts'
import {
  CallTimeoutError,
  InvalidOptionError,
  NoRegistryError,
  type StateChange,
} from '../../src/index.ts'
import { gateOf, make as makeBreaker, turns } from './support.ts'

function make() {
  const { registry, breaker } = makeBreaker()
  return { registry, breaker, policy: cockatielPolicy(breaker) }
}

function heardOf(policy: Pick<IPolicy, 'onSuccess' | 'onFailure'>) {
  const heard: (ISuccessEvent | IFailureEvent)[] = []
  const subscriptions = [
    policy.onSuccess(event => heard.push(event)),
    policy.onFailure(event => heard.push(event)),
  ]
  return { heard, subscriptions }
}

const duration = expect.any(Number)
const down = new Error('down')
const fail = (): Promise<never> => Promise.reject(down)

describe('onSuccess and onFailure', () => {
  it('tell of calls that were made, before their callers go on', async () => {
    const { policy } = make()
    const { heard } = heardOf(policy)
    expect(await policy.execute(() => 1)).toBe(1)
    expect(heard).toEqual([{ duration }])
    await expect(policy.execute(fail)).rejects.toBe(down)
    expect(heard.slice(1)).toEqual([{ duration, handled: true, reason: { error: down } }])
    for (const event of heard) expect(event.duration).toBeGreaterThanOrEqual(0)
  })

  it('take the time of the call, in milliseconds', async () => {
    const { policy } = make()
    const { heard } = heardOf(policy)
    const before = performance.now()
    await policy.execute(() => new Promise(resolve => setTimeout(resolve, 20)))
    const most = performance.now() - before
    expect(heard[0]?.duration).toBeGreaterThan(15)
    expect(heard[0]?.duration).toBeLessThanOrEqual(most)
  })

  it('tell of no refusal, nor of a call that was aborted before it was made', async () => {
    const { breaker, policy } = make()
    const { heard } = heardOf(policy)
    await expect(policy.execute(() => 1, AbortSignal.abort())).rejects.toThrow()
    breaker.open()
    await expect(policy.execute(() => 1)).rejects.toThrow('open')
    expect(heard).toEqual([])
  })

  it('time-outs are handled; aborts and refusals further in are not', async () => {
    const { registry, policy } = make()
    const timed = cockatielPolicy(registry.breaker('b', { timeoutMs: 5 }))
    const { heard } = heardOf(timed)
    await expect(timed.execute(() => new Promise(() => {}))).rejects.toThrow(CallTimeoutError)
    const controller = new AbortController()
    const aborted = timed.execute(() => new Promise(() => {}), controller.signal)
    controller.abort(down)
    await expect(aborted).rejects.toBe(down)
    const inner = registry.breaker('inner')
    inner.open()
    await expect(timed.execute(() => inner.execute(() => 1))).rejects.toThrow('inner')
    expect(heard).toMatchObject([{ handled: true }, { handled: false }, { handled: false }])
    expect(heardOf(policy).heard).toEqual([])
  })

  it('nothing comes after a call was given up, nor after dispose', async () => {
    const { policy } = make()
    const { heard, subscriptions } = heardOf(policy)
    const controller = new AbortController()
    const gate = gateOf<number>()
    const call = policy.execute(() => gate.promise, controller.signal)
    controller.abort()
    await expect(call).rejects.toThrow()
    expect(heard).toHaveLength(1)
    gate.resolve(1)
    await turns()
    expect(heard).toHaveLength(1)
    const begun = policy.execute(() => turns())
    for (const subscription of subscriptions) subscription.dispose()
    for (const subscription of subscriptions) subscription.dispose()
    await begun
    expect(heard).toHaveLength(1)
  })

  it('a listener that is given twice is called twice, and each ends for itself', async () => {
    const { policy } = make()
    const heard: ISuccessEvent[] = []
    const listener = (event: ISuccessEvent): number => heard.push(event)
    const first = policy.onSuccess(listener)
    policy.onSuccess(listener)
    await policy.execute(() => 1)
    expect(heard).toHaveLength(2)
    first.dispose()
    first.dispose()
    await policy.execute(() => 1)
    expect(heard).toHaveLength(3)
  })

  it('a listener that throws becomes a warning and changes nothing', async () => {
    const { breaker, policy } = make()
    const warnings: Error[] = []
    const note = (warning: Error): number => warnings.push(warning)
    process.on('warning', note)
    policy.onSuccess(() => {
      throw down
    })
    const { heard } = heardOf(policy)
    expect(await policy.execute(() => 1)).toBe(1)
    await turns()
    process.off('warning', note)
    expect(heard).toHaveLength(1)
    expect(warnings.map(String)).toEqual([expect.stringContaining('a listener threw: Error: down')])
    expect(breaker.snapshot().totals).toMatchObject({ succeeded: 1, failed: 0 })
  })

  it('wrap() hands on those of its first policy', async () => {
    const { policy } = make()
    const { heard } = heardOf(wrap(policy, fallback(handleAll, 0)))
    expect(await wrap(policy, fallback(handleAll, 0)).execute(fail)).toBe(0)
    expect(heard).toEqual([{ duration }])
  })

  it('another part has them too: one that makes no call, and one that makes two', async () => {
    const idle: Part = { name: 'idle', execute: async () => 'none' as never }
    const twice: Part = {
      name: 'twice',
      async execute(fn, { signal = AbortSignal.abort() } = {}) {
        await fn({ signal })
        await new Promise(resolve => setTimeout(resolve, 20))
        return fn({ signal })
      },
    }
    const never = cockatielPolicy(idle)
    const first = heardOf(never)
    expect(await never.execute(() => 1)).toBe('none')
    expect(first.heard).toEqual([])
    const often = cockatielPolicy(twice)
    const second = heardOf(often)
    const { signal } = new AbortController()
    expect(await often.execute(context => context.signal === signal, signal)).toBe(true)
    expect(second.heard).toEqual([{ duration }])
    // From the first of them on.
    expect(second.heard[0]?.duration).toBeGreaterThan(15)
    expect('state' in often).toBe(false)
  })
})

describe('transitions', () => {
  it('come as they do from cockatiel, and tell what happened', async () => {
    const { registry, breaker, policy } = make()
    const heard: [string, unknown][] = []
    policy.onBreak(change => heard.push(['break', change.reason]))
    policy.onReset(change => heard.push(['reset', change.reason]))
    policy.onHalfOpen(change => heard.push(['half-open', change.reason]))
    policy.onStateChange(state => heard.push(['state', CircuitState[state]]))
    for (let i = 0; i < 3; i++) await expect(policy.execute(fail)).rejects.toBe(down)
    expect(policy.state).toBe(CircuitState.Open)
    registry.advance(1_000)
    await policy.execute(() => {
      expect(policy.state).toBe(CircuitState.HalfOpen)
    })
    expect(policy.state).toBe(CircuitState.Closed)
    breaker.forceOpen({ reason: 'INC-7' })
    expect(policy.state).toBe(CircuitState.Isolated)
    breaker.disable()
    await turns()
    expect(heard).toEqual([
      ['break', 'failures in a row'],
      ['state', 'Open'],
      ['half-open', 'wait over'],
      ['state', 'HalfOpen'],
      ['reset', 'trials succeeded'],
      ['state', 'Closed'],
      ['break', 'INC-7'],
      ['state', 'Isolated'],
      ['reset', 'by hand'],
      ['state', 'Closed'],
    ])
  })

  it('those that cockatiel has no state for are none', async () => {
    const { breaker, policy } = make()
    const heard: CircuitState[] = []
    policy.onStateChange(state => heard.push(state))
    breaker.metricsOnly()
    breaker.disable()
    expect(policy.state).toBe(CircuitState.Closed)
    breaker.reset()
    await turns()
    expect(heard).toEqual([])
  })

  it('those of other breakers are not heard, and none after dispose', async () => {
    const { registry, breaker, policy } = make()
    const heard: StateChange[] = []
    const subscription = policy.onBreak(change => heard.push(change))
    registry.breaker('other').open()
    await turns()
    expect(heard).toEqual([])
    breaker.open()
    subscription.dispose()
    subscription.dispose()
    await turns()
    expect(heard).toEqual([])
  })

  it("work with cockatiel's Event", async () => {
    const { breaker, policy } = make()
    const broken = Event.toPromise(policy.onBreak)
    breaker.open()
    expect(await broken).toMatchObject({ breaker: 'b', to: 'open', origin: 'self' })
    const aborted = Event.toPromise(policy.onReset, AbortSignal.timeout(1))
    await expect(aborted).rejects.toThrow('cancelled')
  })

  it('refuse what is no function, and end with the registry', async () => {
    const { registry, policy } = make()
    const all = [policy.onSuccess, policy.onFailure, policy.onBreak, policy.onStateChange]
    for (const event of all) expect(() => event(5 as never)).toThrow(InvalidOptionError)
    const subscription = policy.onBreak(() => {})
    registry.close()
    subscription.dispose()
    expect(() => policy.onBreak(() => {})).toThrow(NoRegistryError)
  })
})
