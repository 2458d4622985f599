/** Controls of a region whose words are overwritten, and where each class of their words stands. */
import type { Registry } from '../../src/index.ts'
import { WAITER_WORDS } from '../../src/memory/controls.ts'
import {
  BUCKET_WORDS,
  DEFINITION,
  DEFINITION_WORDS,
  LINE_WORDS,
  OPTION_COUNT,
  OVERFLOW_BUCKET_LONGS,
  SHARD_BUCKETS,
} from '../../src/memory/layout.ts'
import type { Region } from '../../src/memory/region.ts'
import { shardOf } from '../../src/protocol/cell.ts'
import { type Control, ControlDirectory } from '../../src/protocol/control.ts'
import type { WordClass } from './words.ts'

export const HOSTS = ['a', 'b', 'c'] as const

/** One of each kind, and three hosts; as a thread that attaches finds them again. */
export function controlsOf(registry: Registry) {
  return {
    throttle: registry.throttle('throttle', { windowMs: 1000, minimumRequestsPerSecond: 0 }),
    bulkhead: registry.bulkhead('bulkhead', { maxConcurrentCalls: 4, maxQueuedCalls: 2 }),
    budget: registry.retryBudget('budget', { ratio: 0.5 }),
    hosts: registry.hosts('hosts', { consecutiveFailures: 2, intervalMs: 100 }),
  }
}

export type Controls = ReturnType<typeof controlsOf>

export function makeControls(registry: Registry): void {
  const { hosts } = controlsOf(registry)
  for (const host of HOSTS) hosts.record(host, 'success')
}

export function controlClassesOf(region: Region): WordClass[] {
  const { directoryLong, definitions } = region.shape.controls
  const controls = new ControlDirectory(region, { thread: 0, parent: 0 }).controlsAfter(0)
  return [
    { name: 'control ENTRY', from: directoryLong * 2, length: region.shape.maxControls * 2 },
    ...controls.flatMap(({ number }) => {
      const from = definitions + number * DEFINITION_WORDS
      const options = from + DEFINITION.OPTIONS_DOUBLE * 2
      return [
        { name: 'control definition', from, length: DEFINITION.NAME + 2 },
        { name: 'option', from: options, length: OPTION_COUNT * 2 },
        { name: 'option', from: from + DEFINITION.MADE_DOUBLE * 2, length: OPTION_COUNT * 2 },
        { name: 'FIRST to MOST_TRIALS', from: from + DEFINITION.FIRST, length: 4 },
      ]
    }),
    ...controls.flatMap(classesOf),
  ]
}

function classesOf(control: Control): WordClass[] {
  const { record, shape } = control
  const shards = [0, 1, 2].flatMap(slot => {
    const from = shardOf(control, slot)
    const words = slot === 0 ? OVERFLOW_BUCKET_LONGS * 2 : BUCKET_WORDS
    const length = shape.buckets * words
    const buckets = { name: 'control bucket', from: from + SHARD_BUCKETS, length }
    return [{ name: 'control total', from, length: SHARD_BUCKETS }, buckets]
  })
  const { places, placeCount, queue, queueLength } = shape
  return [
    { name: 'control, own line', from: record, length: 4 },
    { name: 'control DUTY', from: record + LINE_WORDS, length: 2 },
    { name: 'control place', from: record + places, length: Math.min(placeCount, 4) },
    { name: 'control queue', from: record + queue, length: queueLength * WAITER_WORDS },
    ...shards,
  ].filter(({ length }) => length > 0)
}
