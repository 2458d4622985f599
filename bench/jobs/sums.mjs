/**
 * Records outcomes at a given failure rate and counts how often this thread adds a window up.
 *
 * An order: { breaker, failurePercent, outcomes, only? }. Stops early when the breaker refuses.
 * `only`: the index of the one thread that works.
 */
import { REFUSED } from 'busbar'
import { openPackage } from '../lib/inside.mjs'
import { serve } from '../lib/team.mjs'

const { windows } = await openPackage()
let sums = 0

for (const Window of Object.values(windows)) {
  const { sum } = Window.prototype
  Window.prototype.sum = function (...given) {
    sums++
    return sum.apply(this, given)
  }
}

/**
 * Spreads failures evenly: among the first n outcomes there are n * percent / 100 of them, rounded
 * down. So the rate stays below the threshold at every moment, and in any number of such threads.
 */
function fails(outcome, percent) {
  return ((outcome + 1) * percent) % 100 < percent
}

serve(
  ({ registry, index, startTogether }) =>
    ({ breaker: name, failurePercent, outcomes, only = index }) => {
      const breaker = registry.breaker(name)
      const planned = only === index ? outcomes : 0
      sums = 0
      startTogether()
      let recorded = 0
      while (recorded < planned) {
        const permit = breaker.tryAcquire()
        if (permit === REFUSED) break
        if (fails(recorded, failurePercent)) breaker.recordFailure(permit)
        else breaker.recordSuccess(permit)
        recorded++
      }
      return { sums, recorded }
    },
)
