/** The window that a breaker's options ask for, and the numbers that judge it. */
import { OPTION, WINDOW_COUNT, WINDOW_TIME } from '../memory/layout.ts'
import type { Cell } from './cell.ts'
import type { Thresholds } from './threshold.ts'
import type { Window } from './window.ts'
import { ConsecutiveWindow } from './window-consecutive.ts'
import { CountWindow } from './window-count.ts'
import { TimeWindow } from './window-time.ts'

export function thresholdsOf(cell: Cell): Thresholds {
  const at = (option: number): number => cell.numbers[option] as number
  const capacity =
    at(OPTION.WINDOW) === WINDOW_COUNT ? at(OPTION.WINDOW_LENGTH) : Number.POSITIVE_INFINITY
  const slowIsOff = at(OPTION.SLOW_DURATION_MS) === Number.POSITIVE_INFINITY
  return Object.freeze({
    minimumNumberOfCalls: Math.min(at(OPTION.MINIMUM_CALLS), capacity),
    failureRateThreshold: at(OPTION.FAILURE_RATE),
    slowCallRateThreshold: slowIsOff ? Number.POSITIVE_INFINITY : at(OPTION.SLOW_RATE),
    capacity,
  })
}

export function makeWindow(cell: Cell, thresholds: Thresholds, slot: number): Window {
  const window = cell.numbers[OPTION.WINDOW]
  if (window === WINDOW_TIME) return new TimeWindow(cell, thresholds, slot)
  return window === WINDOW_COUNT ? new CountWindow(cell, thresholds) : new ConsecutiveWindow(cell)
}
