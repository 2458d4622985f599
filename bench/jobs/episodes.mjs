/**
 * Threads that work one breaker together until it opens, over and over: how many outcomes of the
 * generation there were in the end.
 *
 * An order: { breaker, episodes, healthy, failurePercent, seed, tickets? }. `healthy`: successes that
 * the first thread records before the others come. With `tickets`, each outcome takes a number and
 * writes itself down under it just before it is recorded, so that there is an order of them.
 *
 * Each thread answers { mine } for each episode: the calls that it made. The first one adds { counted,
 * openedBy, outcomes }: the outcomes that were counted, healthy ones included, the calls in the sum
 * that opened, and what the tickets say.
 */
import { REFUSED } from 'busbar'
import { randomOf } from '../lib/random.mjs'
import { serve } from '../lib/team.mjs'

serve(member => order => {
  const breaker = member.registry.breaker(order.breaker)
  const random = randomOf(order.seed, `thread ${member.index}`)
  const found = []
  for (let episode = 0; episode < order.episodes; episode++) {
    const before = member.index === 0 ? begin(breaker, order) : undefined
    member.startTogether()
    const isMixed = order.tickets !== undefined
    const mine = isMixed ? mixUntilOpen(breaker, order, random) : failUntilOpen(breaker)
    member.meet()
    found.push({ mine, ...(member.index === 0 ? end(breaker, order, before) : undefined) })
  }
  return found
})

function settledIn({ totals }) {
  return totals.succeeded + totals.failed
}

/** While the others wait. */
function begin(breaker, { healthy, tickets }) {
  breaker.reset()
  if (tickets !== undefined) Atomics.store(tickets, 0, 0)
  const before = settledIn(breaker.snapshot())
  for (let call = 0; call < healthy; call++) breaker.recordSuccess(breaker.tryAcquire())
  return before
}

function end(breaker, { tickets }, before) {
  const snapshot = breaker.snapshot()
  if (snapshot.state !== 'open') throw new Error(`the breaker is ${snapshot.state}`)
  if (snapshot.openedBy === undefined) throw new Error('nobody says what opened the breaker')
  return {
    counted: settledIn(snapshot) - before,
    openedBy: snapshot.openedBy.calls,
    outcomes: tickets?.slice(1, 1 + Atomics.load(tickets, 0)),
  }
}

function failUntilOpen(breaker) {
  for (let calls = 0; ; calls++) {
    const permit = breaker.tryAcquire()
    if (permit === REFUSED) return calls
    breaker.recordFailure(permit)
  }
}

function mixUntilOpen(breaker, { tickets, failurePercent }, random) {
  for (let calls = 0; ; calls++) {
    const fails = random() * 100 < failurePercent
    const permit = breaker.tryAcquire()
    if (permit === REFUSED) return calls
    const ticket = Atomics.add(tickets, 0, 1)
    if (ticket + 1 >= tickets.length) throw new Error('the breaker does not open')
    Atomics.store(tickets, ticket + 1, fails ? 1 : 0)
    if (fails) breaker.recordFailure(permit)
    else breaker.recordSuccess(permit)
  }
}
