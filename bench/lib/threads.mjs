/** Numbers of threads to measure with, and what a run of a crew comes to. */
import { availableParallelism } from 'node:os'

export const CORES = availableParallelism()

/** How many threads a core, at the most. */
const OVERSUBSCRIBED = 4
const NS_PER_SECOND = 1e9

/** 1, 2, 4, ... up to the cores, then twice and four times as many. */
export function threadCounts(cores = CORES) {
  const counts = new Set()
  for (let threads = 1; threads < cores; threads *= 2) counts.add(threads)
  for (let share = 1; share <= OVERSUBSCRIBED; share *= 2) counts.add(cores * share)
  return [...counts]
}

/** @param {readonly import('./crew.mjs').Report[]} reports */
export function throughputOf(reports) {
  const started = Math.min(...reports.map(report => report.startedNs))
  const ended = Math.max(...reports.map(report => report.endedNs))
  return (totalOf(reports, report => report.operations) / (ended - started)) * NS_PER_SECOND
}

/** A thread's time for each of its own operations, over all threads. */
export function nanosecondsOf(reports) {
  const elapsed = totalOf(reports, report => report.endedNs - report.startedNs)
  return elapsed / totalOf(reports, report => report.operations)
}

/** What the slowest thread did for each operation of the fastest: 1 is fair. */
export function fairnessOf(reports) {
  const operations = reports.map(report => report.operations)
  return Math.min(...operations) / Math.max(...operations)
}

/**
 * @param {readonly import('./crew.mjs').Report[]} reports
 * @param {(report: import('./crew.mjs').Report) => number} of
 */
export function totalOf(reports, of) {
  return reports.reduce((total, report) => total + of(report), 0)
}
