/**
 * How large the parts of a region and of its records are: formulas that a program can compute.
 * They say again what regionShapeOf, shapeOf and controlShapeOf compute; a test compares the two.
 */
import type { Formula, Part } from './types.ts'

/** What a formula may say besides numbers, + - * / and names of what was defined before. */
export const FUNCTIONS = {
  'size(struct)': 'its size in bytes',
  'ceilTo(x, step)': 'x rounded up to a multiple of step',
  'pow2Ceil(x)': 'x rounded up to a power of two',
  'is(x, y)': '1 when they are equal, else 0',
} as const

export interface Shape {
  readonly variables: Readonly<Record<string, string>>
  readonly formulas: readonly Formula[]
  readonly parts: readonly Part[]
}

export const REGION: Shape = {
  variables: {
    maxBreakers: 'MAX_BREAKERS in the header',
    maxThreads: 'MAX_THREADS in the header',
    arenaLines: 'ARENA_LINES in the header',
    maxControls: 'MAX_CONTROLS in the header',
    controlLines: 'CONTROL_LINES in the header',
  },
  formulas: [
    {
      name: 'definitionCount',
      formula: 'maxBreakers + maxThreads + SPARE_DEFINITIONS',
      meaning: 'one for each thread that may lose the race for a name, and some to waste',
    },
    {
      name: 'controlDefinitionCount',
      formula: 'maxControls + maxThreads + SPARE_DEFINITIONS',
      meaning: 'likewise',
    },
  ],
  parts: [
    {
      name: 'header',
      struct: 'header',
      count: '1',
      bytes: 'ceilTo(size(header), LINE_BYTES)',
      meaning: 'what the region is',
    },
    {
      name: 'defaults',
      struct: 'options',
      count: '1',
      bytes: 'ceilTo(size(options), LINE_BYTES)',
      meaning: 'options of breakers that say nothing else',
    },
    {
      name: 'threads',
      struct: 'thread',
      count: 'maxThreads + 1',
      bytes: 'ceilTo((maxThreads + 1) * size(thread), LINE_BYTES)',
      meaning: 'who holds which slot',
    },
    {
      name: 'presence',
      struct: 'presence',
      count: 'maxThreads + 1',
      bytes: '(maxThreads + 1) * size(presence)',
      meaning: 'whose event loops turn',
    },
    {
      name: 'journal',
      struct: 'journal_entry',
      count: 'JOURNAL_ENTRIES',
      bytes: 'JOURNAL_ENTRIES * size(journal_entry)',
      meaning: 'the last transitions of all breakers',
    },
    {
      name: 'making',
      struct: 'making',
      count: '1',
      bytes: 'size(making)',
      meaning: 'which breaker is being made',
    },
    {
      name: 'directory',
      struct: 'entry',
      count: 'maxBreakers',
      bytes: 'ceilTo(maxBreakers * size(entry), LINE_BYTES)',
      meaning: 'which breakers there are',
    },
    {
      name: 'definitions',
      struct: 'definition',
      count: 'definitionCount',
      bytes: 'definitionCount * size(definition)',
      meaning: 'their names and options',
    },
    {
      name: 'arena',
      bytes: 'arenaLines * LINE_BYTES',
      meaning: 'their records, of different lengths, one after the other',
    },
    {
      name: 'controlMaking',
      struct: 'making',
      count: '1',
      bytes: 'size(making)',
      meaning: 'which control is being made',
    },
    {
      name: 'controlDirectory',
      struct: 'entry',
      count: 'maxControls',
      bytes: 'ceilTo(maxControls * size(entry), LINE_BYTES)',
      meaning: 'which controls there are',
    },
    {
      name: 'controlDefinitions',
      struct: 'definition',
      count: 'controlDefinitionCount',
      bytes: 'controlDefinitionCount * size(definition)',
      meaning: 'their names and options',
    },
    { name: 'controlArena', bytes: 'controlLines * LINE_BYTES', meaning: 'their records' },
  ],
}

export const RECORD: Shape = {
  variables: {
    window: 'WINDOW of the options',
    length: 'WINDOW_LENGTH of the options',
    buckets: 'BUCKETS of the options',
    hanging: 'HANGING of the options',
    maxThreads: 'MAX_THREADS in the header',
  },
  formulas: [
    {
      name: 'ringCapacity',
      formula: 'is(window, WINDOW_COUNT) * pow2Ceil(length + SPARE_OUTCOMES)',
      meaning: 'words of a count window; else 0',
    },
    {
      name: 'timeBuckets',
      formula: 'is(window, WINDOW_TIME) * buckets',
      meaning: 'buckets of a time window; else 0',
    },
    {
      name: 'ageBytes',
      formula: 'hanging * (size(hung) + AGE_BUCKETS * size(age_bucket))',
      meaning: 'what tells calls in flight by age, behind the buckets of a shard; else 0',
    },
    {
      name: 'overflowBytes',
      formula: 'ceilTo(size(totals) + timeBuckets * size(overflow_bucket), LINE_BYTES)',
      meaning: 'the shard of slot 0',
    },
    {
      name: 'shardBytes',
      formula: 'ceilTo(size(totals) + timeBuckets * size(bucket) + ageBytes, LINE_BYTES)',
      meaning: 'the shard of another slot',
    },
  ],
  parts: [
    {
      name: 'fixed',
      struct: 'record',
      count: '1',
      bytes: 'size(record)',
      meaning: 'state and its details',
    },
    {
      name: 'trials',
      struct: 'place',
      count: 'MAX_TRIALS',
      bytes: 'ceilTo(MAX_TRIALS * size(place), LINE_BYTES)',
      meaning: 'places of trials',
    },
    {
      name: 'stock',
      struct: 'stock',
      count: '1',
      bytes: 'size(stock)',
      meaning: 'when to add the window up',
    },
    {
      name: 'summary',
      struct: 'summary',
      count: '1',
      bytes: 'size(summary)',
      meaning: 'the last periodic sum',
    },
    {
      name: 'head',
      struct: 'head',
      count: '1',
      bytes: 'size(head)',
      meaning: 'HEAD or ROW',
    },
    {
      name: 'ring',
      struct: 'outcome',
      count: 'ringCapacity',
      bytes: 'ceilTo(ringCapacity * size(outcome), LINE_BYTES)',
      meaning: 'the last outcomes',
    },
    {
      name: 'overflow',
      struct: 'totals',
      bytes: 'overflowBytes',
      meaning: 'shard 0: totals, then timeBuckets overflow buckets',
    },
    {
      name: 'shards',
      struct: 'totals',
      bytes: 'maxThreads * shardBytes',
      meaning: 'shards 1 and above: totals, then timeBuckets buckets each, then ages',
    },
    {
      name: 'tallies',
      struct: 'tally',
      count: 'maxThreads + 1',
      bytes: '(maxThreads + 1) * size(tally)',
      meaning: 'what each slot counts for people alone',
    },
  ],
}

export const CONTROL: Shape = {
  variables: {
    kind: 'KIND of the options',
    maxConcurrent: "MAX_CONCURRENT of a bulkhead's options; else 0",
    maxQueued: "MAX_QUEUED of a bulkhead's options; else 0",
    maxThreads: 'MAX_THREADS in the header',
  },
  formulas: [
    {
      name: 'placeCount',
      formula: 'is(kind, BULKHEAD) * maxConcurrent + is(kind, HOST_GROUP) * MAX_EJECTED',
      meaning: 'places of calls in flight, or of ejected hosts; else 0',
    },
    {
      name: 'queueLength',
      formula: 'is(kind, BULKHEAD) * maxQueued',
      meaning: 'places of calls that wait; else 0',
    },
    {
      name: 'windowBuckets',
      formula:
        'is(kind, THROTTLE) * CONTROL_BUCKETS + is(kind, RETRY_BUDGET) * CONTROL_BUCKETS + ' +
        'is(kind, HOST) * HOST_BUCKETS',
      meaning: 'buckets of its window; else 0',
    },
    {
      name: 'overflowBytes',
      formula: 'ceilTo(size(totals) + windowBuckets * size(overflow_bucket), LINE_BYTES)',
      meaning: 'the shard of slot 0',
    },
    {
      name: 'shardBytes',
      formula: 'ceilTo(size(totals) + windowBuckets * size(bucket), LINE_BYTES)',
      meaning: 'the shard of another slot',
    },
  ],
  parts: [
    {
      name: 'own',
      bytes: 'size(throttle)',
      meaning: "as its kind's struct says; all five are as long",
    },
    {
      name: 'places',
      struct: 'control_place',
      count: 'placeCount',
      bytes: 'ceilTo(placeCount * size(control_place), LINE_BYTES)',
      meaning: 'calls in flight, or hosts that are ejected',
    },
    {
      name: 'queue',
      struct: 'waiter',
      count: 'queueLength',
      bytes: 'ceilTo(queueLength * size(waiter), LINE_BYTES)',
      meaning: 'calls that wait',
    },
    {
      name: 'overflow',
      struct: 'totals',
      bytes: 'overflowBytes',
      meaning: 'shard 0: totals, then windowBuckets overflow buckets',
    },
    {
      name: 'shards',
      struct: 'totals',
      bytes: 'maxThreads * shardBytes',
      meaning: 'shards 1 and above: totals, then windowBuckets buckets each',
    },
  ],
}
