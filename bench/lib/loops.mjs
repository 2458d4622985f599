/**
 * The loops that the questions time. Each runs in a fresh thread with one kind of breaker, so V8
 * makes of it what it makes of a caller's own loop. Each counts what went as it should.
 */

/** @param {{ tryAcquire(): number }} breaker */
export function refusals(breaker) {
  return calls => {
    let refused = 0
    // A permit in place of -1 leaves the sum wrong: it is 0 or more.
    for (let call = 0; call < calls; call++) refused -= breaker.tryAcquire()
    return refused
  }
}

/** @param {{ tryAcquire(): number, recordSuccess(permit: number): void }} breaker */
export function successes(breaker) {
  return calls => {
    let permitted = 0
    for (let call = 0; call < calls; call++) {
      const permit = breaker.tryAcquire()
      if (permit < 0) continue
      breaker.recordSuccess(permit)
      permitted++
    }
    return permitted
  }
}

/** As `successes`, with a duration as a caller that measures would give it. */
export function timedSuccesses(breaker, durationMs) {
  return calls => {
    let permitted = 0
    for (let call = 0; call < calls; call++) {
      const permit = breaker.tryAcquire()
      if (permit < 0) continue
      breaker.recordSuccess(permit, durationMs)
      permitted++
    }
    return permitted
  }
}

export function failures(breaker) {
  return calls => {
    let permitted = 0
    for (let call = 0; call < calls; call++) {
      const permit = breaker.tryAcquire()
      if (permit < 0) continue
      breaker.recordFailure(permit)
      permitted++
    }
    return permitted
  }
}

/** Every `nth` call fails. */
export function mixed(breaker, nth) {
  return calls => {
    let permitted = 0
    for (let call = 1; call <= calls; call++) {
      const permit = breaker.tryAcquire()
      if (permit < 0) continue
      if (call % nth === 0) breaker.recordFailure(permit)
      else breaker.recordSuccess(permit)
      permitted++
    }
    return permitted
  }
}

export function releases(breaker) {
  return calls => {
    let permitted = 0
    for (let call = 0; call < calls; call++) {
      const permit = breaker.tryAcquire()
      if (permit < 0) continue
      breaker.release(permit)
      permitted++
    }
    return permitted
  }
}

/**
 * Throws unless the breaker is in `state` and `totals` grew by what is given: then something else
 * was measured than was meant.
 *
 * @param {import('busbar').CircuitBreaker} breaker
 * @param {string} state
 */
export function watch(breaker, state) {
  const before = breaker.snapshot().totals
  return function expect(grown) {
    const { state: now, totals } = breaker.snapshot()
    if (now !== state) throw new Error(`"${breaker.name}" is ${now}, not ${state}`)
    for (const [total, by] of Object.entries(grown)) {
      const found = totals[total] - before[total]
      if (found !== by) throw new Error(`"${breaker.name}": ${found} ${total}, not ${by}`)
    }
  }
}
