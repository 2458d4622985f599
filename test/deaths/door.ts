/**
 * The real door with a gate in front: parks the thread before its k-th access of shared memory, for
 * the test to terminate it there.
 */
import * as real from '../../src/memory/atomics.ts'

export type { Memory } from '../../src/memory/atomics.ts'
export { counterWord, ownDouble, viewsOf } from '../../src/memory/atomics.ts'

const OPEN = Number.POSITIVE_INFINITY
let left = OPEN
let control = new Int32Array(new SharedArrayBuffer(8))

/** From now on, park before the access after `accesses` more. Word 0 of `words` says so. */
export function parkAfter(accesses: number, words: Int32Array<SharedArrayBuffer>): void {
  left = accesses
  control = words
}

function gated<A extends unknown[], R>(access: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    if (left === 0) {
      Atomics.store(control, 0, 1)
      Atomics.notify(control, 0)
      for (;;) Atomics.wait(control, 1, 0)
    }
    left--
    return access(...args)
  }
}

export const load = gated(real.load)
export const store = gated(real.store)
export const add = gated(real.add)
export const compareExchange = gated(real.compareExchange)
export const loadDouble = gated(real.loadDouble)
export const load64 = gated(real.load64)
export const add64 = gated(real.add64)
export const compareExchange64 = gated(real.compareExchange64)
export const count = gated(real.count)
export const countBy = gated(real.countBy)
export const readOwn = gated(real.readOwn)
export const peek = gated(real.peek)
export const notify = gated(real.notify)
export const writeFixed = gated(real.writeFixed)
export const writeFixedDouble = gated(real.writeFixedDouble)
export const writeReused = gated(real.writeReused)
export const writeReusedDouble = gated(real.writeReusedDouble)
export const writeOwnDouble = gated(real.writeOwnDouble)
export const zeroOwn = gated(real.zeroOwn)
export {
  copyOut,
  readFixed,
  readFixedDouble,
  readReused,
  readReusedDouble,
  wait,
  whenNotified,
} from '../../src/memory/atomics.ts'
