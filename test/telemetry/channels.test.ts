/** busbar:refused, who hears of it, and what the channels cost where nobody does. */
import { channel } from 'node:diagnostics_channel'
import { describe, expect, it, vi } from 'vitest'
import { executeChannel, type Refusal } from '../../src/channels.ts'
import { make, makeOpen, makeReady, rejectionOf, thrownBy } from '../unit/execute-support.ts'
import { EVENTS, listen, messagesOf, traced } from './channels-support.ts'

const NAME = 'busbar:refused'

describe('busbar:refused', () => {
  it('has a message for each refused call, whichever face it was made through', async () => {
    const { registry, breaker } = makeOpen()
    const messages = messagesOf<Refusal>(NAME)
    registry.advance(250)
    await rejectionOf(breaker.execute(() => 'value'))
    expect(messages).toEqual([{ breaker: breaker.name, state: 'open', retryAfterMs: 750 }])
    await breaker.execute(() => 'value', { fallback: () => 'answer' })
    await rejectionOf(breaker.execute(() => 'value', { timeoutMs: 5 }))
    await breaker.tryExecute(() => 'value')
    await rejectionOf(breaker.wrap(() => 'value')())
    thrownBy(() => breaker.executeSync(() => 'value'))
    expect(messages).toHaveLength(6)
    expect(new Set(messages.map(message => JSON.stringify(message))).size).toBe(1)
  })

  it('says which state refused, and how long it will', async () => {
    const { breaker } = makeReady({ permittedNumberOfCallsInHalfOpenState: 1 })
    const messages = messagesOf<Refusal>(NAME)
    const permit = breaker.tryAcquire()
    await rejectionOf(breaker.execute(() => 'value'))
    breaker.release(permit)
    breaker.forceOpen()
    await rejectionOf(breaker.execute(() => 'value'))
    expect(messages).toEqual([
      { breaker: breaker.name, state: 'half-open', retryAfterMs: 60_000 },
      { breaker: breaker.name, state: 'forced-open', retryAfterMs: Number.POSITIVE_INFINITY },
    ])
  })

  it('has none for calls that were made, nor for the core, whose callers are told', async () => {
    const { breaker } = make()
    const messages = messagesOf<Refusal>(NAME)
    await breaker.execute(() => 'value')
    breaker.executeSync(() => 'value')
    breaker.open()
    breaker.tryAcquire()
    breaker.canExecute()
    expect(messages).toEqual([])
  })

  it('a subscriber that is refused in its turn by another state confuses nobody', async () => {
    const { breaker } = makeOpen()
    let depth = 0
    listen(NAME, () => {
      if (depth++ > 0) return
      breaker.forceOpen()
      thrownBy(() => breaker.executeSync(() => 'value'))
    })
    expect(await rejectionOf(breaker.execute(() => 'value'))).toMatchObject({ state: 'open' })
    expect(await rejectionOf(breaker.execute(() => 'value'))).toMatchObject({
      state: 'forced-open',
    })
  })
})

describe('where nobody subscribes', () => {
  it('nothing is published and nothing is traced', async () => {
    const refused = vi.spyOn(channel(NAME), 'publish')
    const spies = [
      refused,
      vi.spyOn(executeChannel, 'tracePromise'),
      vi.spyOn(executeChannel, 'traceSync'),
      ...EVENTS.map(event => vi.spyOn(traced[event], 'publish')),
    ]
    const { breaker } = makeOpen()
    await rejectionOf(breaker.execute(() => 'value'))
    thrownBy(() => breaker.executeSync(() => 'value'))
    breaker.reset()
    await breaker.execute(() => 'value')
    breaker.executeSync(() => 'value')
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it('also when somebody has unsubscribed', async () => {
    const { breaker } = makeOpen()
    const listener = vi.fn()
    traced.error.subscribe(listener)
    channel(NAME).subscribe(listener)
    traced.error.unsubscribe(listener)
    channel(NAME).unsubscribe(listener)
    expect(executeChannel.hasSubscribers).toBe(false)
    await rejectionOf(breaker.execute(() => 'value'))
    expect(listener).not.toHaveBeenCalled()
  })
})
