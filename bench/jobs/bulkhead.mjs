/**
 * Calls that are in flight for no time, as fast as each thread can make them: through a bulkhead
 * (input `{ handle, bulkhead }`), and in one shared counter that only goes up and down (`{ words }`).
 * The batches sum up to the calls that were let in.
 */
import { attachRegistry, REFUSED } from 'busbar'

function counting({ input: { words } }) {
  return {
    batch(times) {
      for (let call = 0; call < times; call++) {
        Atomics.add(words, 0, 1)
        Atomics.sub(words, 0, 1)
      }
      return times
    },
  }
}

function permitting({ input: { handle, bulkhead: name } }) {
  const registry = attachRegistry(handle)
  const bulkhead = registry.bulkhead(name)
  return {
    batch(times) {
      let admitted = 0
      for (let call = 0; call < times; call++) {
        const permit = bulkhead.tryAcquire()
        if (permit === REFUSED) continue
        admitted++
        bulkhead.release(permit)
      }
      return admitted
    },
    finish: () => registry.close(),
  }
}

export const jobs = { 'a shared counter, up and down': counting, 'permit + release': permitting }
