/**
 * A clock whose time and ticks the test moves. Whoever uses it puts monotonic/process.ts in the place
 * of node:process.
 */
import { expect } from 'vitest'
import { type Memory, store, viewsOf, writeFixedDouble } from '../../../src/memory/atomics.ts'
import { HEADER, HEADER_WORDS } from '../../../src/memory/layout.ts'
import { MonotonicClock } from '../../../src/time/monotonic.ts'
import { fake } from './process.ts'

/** Milliseconds. Whole ones, so that sums of them are exact. */
const ORIGIN = 5000
export const TICK_MS = 8
export const BOUND_MS = 2 * TICK_MS
export const START = 96
export const MAX_GLANCES = 256

export let memory: Memory
export let clock: MonotonicClock

/** A new clock, at START. */
export function useClock(tickMs: number): void {
  memory = viewsOf(new SharedArrayBuffer(HEADER_WORDS * 4))
  writeFixedDouble(memory, HEADER.ORIGIN_DOUBLE, ORIGIN)
  writeFixedDouble(memory, HEADER.TICK_MS_DOUBLE, tickMs)
  clock = new MonotonicClock(memory)
  setTime(START)
}

export function setTime(ms: number): void {
  fake.nowMs = ORIGIN + ms
}

export function time(): number {
  return fake.nowMs - ORIGIN
}

export function setTick(tick: number): void {
  store(memory, HEADER.TICK, tick)
}

/** Whether this glance read the clock. */
export function glance(): boolean {
  const before = fake.reads
  clock.glance()
  expect(fake.reads - before).toBeLessThanOrEqual(1)
  return fake.reads > before
}

/** Glances until the clock is read, that one included: how many went before on trust. */
export function glancesOnTrust(): number {
  let trusted = 0
  while (!glance()) trusted++
  return trusted
}

/** All are taken on trust: after so many runs a thread has come to the longest. */
export function trustFully(): void {
  expect(glance()).toBe(true)
  for (let run = 1; run < MAX_GLANCES; run *= 2) expect(glancesOnTrust()).toBe(run)
}

/** Each glance reads the clock and knows the time exactly. */
export function expectExact(times = 20): void {
  for (let call = 0; call < times; call++) {
    expect(glance()).toBe(true)
    expect([clock.current, clock.latest]).toEqual([START, START])
  }
}
