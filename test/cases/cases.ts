import { readFileSync } from 'node:fs'
import type { BreakerOptions } from '../../src/index.ts'

/** One line of cases.jsonl; its README stands in the comment of `readCases`. */
export interface Case {
  id: string
  title: string
  config: CaseConfig
  steps: CaseStep[]
}

export interface CaseConfig {
  window?: 'count' | 'time' | 'consecutive'
  size?: number
  buckets?: number
  minimumNumberOfCalls?: number
  failureRateThreshold?: number
  slowCallRateThreshold?: number
  slowCallDurationMs?: number
  openMs?: number
  halfOpenCalls?: number
  halfOpenRule?: 'rate' | 'strict'
  halfOpenMaxMs?: number
  metricsOnly?: boolean
  threads?: number
}

export type CaseOutcome = 'success' | 'failure' | 'timeout' | 'ignored' | 'cancelled'

export interface CaseStep {
  t: number
  do?: string
  outcome?: CaseOutcome
  durationMs?: number
  n?: number
  id?: string
  thread?: number
  threads?: number[]
  op?: 'reset' | 'forceOpen'
  byMs?: number
  config?: CaseConfig
  expectError?: boolean
  expectErrorOr?: string
  expectAdmitted?: number
  expectRejected?: boolean
  expectState?: string | string[]
  expectCounts?: Record<string, number>
  expectRate?: { failure?: number | null; slow?: number | null }
  expectEvents?: string[]
}

/**
 * What users of other breakers ran into, retold as data: times are milliseconds from 0, steps run
 * in order, rates and thresholds are in percent. `call` admits at t and finishes at
 * t + durationMs; `start` and `end` are its two halves; `race` asks n times.
 */
export function readCases(): Case[] {
  const text = readFileSync(new URL('./cases.jsonl', import.meta.url), 'utf8')
  return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Case]))
}

/** The case's options in busbar's words; what a case leaves out takes the default of the cases. */
export function optionsOf(config: CaseConfig): BreakerOptions {
  const size = config.size ?? 0
  const strict = (config.halfOpenRule ?? ruleOf(config)) === 'strict'
  const rate = percent(config.failureRateThreshold)
  const options = {
    slidingWindow: windowOf(config, size),
    // The cases' own default: the size of a count window, else 1.
    minimumNumberOfCalls: config.minimumNumberOfCalls ?? (config.window === 'count' ? size : 1),
    failureRateThreshold: rate,
    slowCallRateThreshold: percent(config.slowCallRateThreshold),
    slowCallDurationThresholdMs: config.slowCallDurationMs,
    waitDurationInOpenStateMs: config.openMs,
    permittedNumberOfCallsInHalfOpenState: config.halfOpenCalls,
    // 'rate': the trials are judged when all are in, by the threshold of the closed state.
    halfOpenFailureRateThreshold: strict ? undefined : rate,
    // 'halfOpenMaxMs' is a limit on the state in other breakers, and on each trial in busbar.
    trialTimeoutMs: config.halfOpenMaxMs,
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

function ruleOf(config: CaseConfig): 'rate' | 'strict' {
  return config.window === 'consecutive' ? 'strict' : 'rate'
}

function percent(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value / 100
}

function windowOf(config: CaseConfig, size: number): BreakerOptions['slidingWindow'] {
  if (config.window === 'consecutive') return { type: 'consecutive', failures: size }
  if (config.window === 'count') return { type: 'count', size }
  return { type: 'time', durationMs: size, buckets: config.buckets ?? 10 }
}
