/** Stands in for node:process: the time is what the test says, and each look at it is counted. */

export const fake = { nowMs: 0, reads: 0 }

export function hrtime(): [number, number] {
  fake.reads++
  return [Math.floor(fake.nowMs / 1e3), (fake.nowMs % 1e3) * 1e6]
}
