/** The soak: dependencies fall ill and recover, workers die and come back, and the books balance. */
import { setTimeout as delay } from 'node:timers/promises'
import type * as Busbar from '../../src/index.ts'
import { GENERATION_BITS } from '../../src/memory/words/state.ts'
import { field, Parts } from '../../src/verify/format.ts'
import { verify } from '../../src/verify/verify.ts'
import { Random } from '../model/random.ts'
import { Ledger } from './ledger.ts'
import { Patient } from './patient.ts'
import { Seats } from './seats.ts'
import { BREAKERS, FLEETING, KEYED, setUp } from './setup.ts'

const SEATS = 4
const MAX_THREADS = SEATS + 2
const TICK_MS = 2
const PROGRESS_MS = 5000
/** Memory goes up and down with the workers that live: many looks, so that medians stand still. */
const SAMPLE_MS = 250
const DISTURB_MS = 120
/** Worker threads come and go; what a process keeps of them is not the region's. */
const MAX_GROWTH_MB = 64

interface Sample {
  readonly rss: number
  readonly heap: number
}

function sample(): Sample {
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 2 ** 20, heap: heapUsed / 2 ** 20 }
}

function mb(value: number): string {
  return `${value.toFixed(0)} MB`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** True when everything was survived. */
export async function soak(
  busbar: typeof Busbar,
  seconds: number,
  seed: number,
  kernel: 'js' | 'wasm',
): Promise<boolean> {
  console.log(`soak: ${seconds} s, seed ${seed}, kernel ${kernel}`)
  const random = new Random(seed)
  const registry = busbar.createRegistry({ kernel, maxThreads: MAX_THREADS, maxBreakers: 16 })
  setUp(registry)
  const names = Object.keys(BREAKERS)
  const faults = verify(registry.handle.buffer, { quiet: true })
  const before = names.map(name => registry.breaker(name).snapshot())
  const ledger = new Ledger(SEATS, names.length)
  const sick = new Int32Array(new SharedArrayBuffer(4 * names.length))
  const patients = names
    .slice(1)
    .map((name, index) => new Patient(registry.breaker(name), sick, index + 1, random))
  const seats = new Seats(SEATS, random, ledger, {
    handle: registry.handle,
    names,
    sick,
    fleeting: FLEETING,
    keyed: KEYED,
  })

  const samples: Sample[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  let nextProgress = start
  let nextSample = start
  let nextDisturbance = start + 500
  for (let now = start; now < end; now = performance.now()) {
    for (const patient of patients) patient.tick(now)
    if (now >= nextDisturbance) {
      nextDisturbance = now + random.between(0, 2 * DISTURB_MS)
      seats.disturb()
    }
    if (now >= nextSample) {
      nextSample += SAMPLE_MS
      samples.push(sample())
    }
    if (now >= nextProgress) {
      nextProgress += PROGRESS_MS
      console.log(progress((now - start) / 1000, ledger, seats, patients, sample()))
    }
    await delay(TICK_MS)
  }
  for (const patient of patients) patient.cure()
  await recoverAll(patients)
  await seats.stop()
  // The last exits are news that may still be on the way.
  for (let turn = 0; turn < 500 && registry.snapshot().threads > 1; turn++) await delay(10)
  samples.push(sample())

  const after = names.map(name => registry.breaker(name).snapshot())
  const { threads, damaged } = registry.snapshot()
  if (threads !== 1) faults.push(`${threads - 1} slots are taken by threads that are gone`)
  if (damaged !== 0) faults.push(`${damaged} damaged words were met`)
  names.forEach((name, index) => {
    const [first, last] = [before[index]?.totals, after[index]?.totals]
    if (first && last) faults.push(...ledger.audit(index, name, first, last, seats.kills))
  })
  faults.push(...patients.flatMap(patient => patient.faults))
  faults.push(...verify(registry.handle.buffer, { quiet: true, deaths: true }))
  const { first, last } = growth(samples)
  if (last > first + MAX_GROWTH_MB) faults.push(`rss grew from ${mb(first)} to ${mb(last)}`)

  const transitions = after.reduce((sum, { generation }, index) => {
    return (
      sum +
      ((generation - (before[index]?.generation ?? 0) + 2 ** GENERATION_BITS) %
        2 ** GENERATION_BITS)
    )
  }, 0)
  const sum = (kind: 'late' | 'abandoned' | 'refused'): number =>
    after.reduce(
      (all, each, index) => all + each.totals[kind] - (before[index]?.totals[kind] ?? 0),
      0,
    )
  const recoveries = patients.flatMap(patient => patient.recoveries)
  console.table({
    seconds,
    seed,
    outcomes: ledger.outcomes(),
    'late outcomes': sum('late'),
    'permits abandoned': sum('abandoned'),
    refusals: sum('refused'),
    transitions,
    recoveries: recoveries.length,
    'recovery, median ms': Math.round(median(recoveries)),
    'recovery, longest ms': Math.round(Math.max(0, ...recoveries)),
    'recovery, bound ms': Math.round(Patient.BOUND_MS),
    'workers started': seats.deaths.started,
    'terminated at any point': seats.deaths.terminated,
    'ended by themselves': seats.deaths.exited,
    'ended by an error': seats.deaths.crashed,
    'stalled past a lease': seats.deaths.stalled,
    'left and came back': seats.deaths.left,
    'loops blocked 50 ms': seats.deaths.blocked,
    'breakers made': makings(registry),
    'rss, first': mb(samples[0]?.rss ?? 0),
    'rss, after warming up': mb(first),
    'rss, last': mb(last),
    'heap, first': mb(samples[0]?.heap ?? 0),
    'heap, last': mb(samples.at(-1)?.heap ?? 0),
    faults: faults.length,
  })
  for (const fault of faults) console.log(`FAULT ${fault}`)
  registry.close()
  return faults.length === 0
}

/** Since the sequence of makings began anew, after some. */
function makings({ handle }: Busbar.Registry): number {
  const parts = new Parts(handle.buffer)
  return field(parts.long(parts.breakers.making), 38, 26)
}

/** Medians, once all has been loaded: of the second fifth, and of the last. */
function growth(samples: readonly Sample[]): { first: number; last: number } {
  const rss = samples.map(each => each.rss)
  const fifth = Math.max(1, Math.floor(rss.length / 5))
  return { first: median(rss.slice(fifth, 2 * fifth)), last: median(rss.slice(-fifth)) }
}

async function recoverAll(patients: readonly Patient[]): Promise<void> {
  while (patients.some(patient => patient.isRecovering)) {
    for (const patient of patients) patient.tick(performance.now())
    await delay(TICK_MS)
  }
}

function progress(
  seconds: number,
  ledger: Ledger,
  seats: Seats,
  patients: readonly Patient[],
  { rss, heap }: Sample,
): string {
  const recoveries = patients.flatMap(patient => patient.recoveries)
  return [
    `${seconds.toFixed(0).padStart(4)} s`,
    `${(ledger.outcomes() / 1e6).toFixed(1)} M outcomes`,
    `${seats.deaths.started} workers`,
    `${seats.kills} killed`,
    `${recoveries.length} recoveries`,
    `longest ${Math.max(0, ...recoveries).toFixed(0)} ms`,
    `rss ${mb(rss)}`,
    `heap ${mb(heap)}`,
  ].join(', ')
}
