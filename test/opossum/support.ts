/** Plays a scenario with opossum's own class and with busbar's, and notes all that is seen of it. */
import { createRequire } from 'node:module'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createRegistry, type Registry } from '../../src/index.ts'
import { CircuitBreaker } from '../../src/opossum/opossum.ts'
import type { Options } from '../../src/opossum/types.ts'

/** opossum has no types of its own; that those of busbar fit is what is tested. */
const Opossum: typeof CircuitBreaker = createRequire(import.meta.url)('opossum')

const EVENTS = [
  'open',
  'close',
  'halfOpen',
  'fire',
  'success',
  'failure',
  'timeout',
  'reject',
  'semaphoreLocked',
  'fallback',
  'cacheHit',
  'cacheMiss',
  'coalesceCacheHit',
  'coalesceCacheMiss',
  'healthCheckFailed',
  'shutdown',
] as const

type Action = (...args: never[]) => unknown
export type Circuit = CircuitBreaker<unknown[], unknown>

/** What scenarios are written in. */
export interface Stage {
  readonly log: unknown[]
  readonly registry: Registry
  circuit(action: Action, options?: Options): Circuit
  /** Fires, and notes the answer when it comes; errors as their texts. */
  fire(circuit: Circuit, ...args: unknown[]): Promise<unknown>
  /** Notes state and counts. */
  look(circuit: Circuit): void
  advance(ms: number): Promise<void>
  /** Until all that needs no timer has happened: busbar tells transitions a few microtasks later. */
  settle(): Promise<void>
}

export type Scenario<R = void> = (stage: Stage) => Promise<R>

const STEP_MS = 5
const START = Date.UTC(2026, 0, 1)

async function settle(): Promise<void> {
  for (let microtask = 0; microtask < 20; microtask++) await undefined
}

/** Errors by what callers may rely on. */
function shown(value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { code } = value as { code?: string }
  return code === undefined ? `${value.name}: ${value.message}` : `${code}: ${value.message}`
}

/** Runs timers and clocks that stand still until the scenario moves them. */
async function play<R>(
  Class: typeof CircuitBreaker,
  scenario: Scenario<R>,
): Promise<{ log: unknown[]; result: R }> {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
  })
  vi.setSystemTime(START)
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 8, maxThreads: 2 })
  const circuits: Circuit[] = []
  const log: unknown[] = []
  const isShared = Class === CircuitBreaker
  const stage: Stage = {
    log,
    registry,
    circuit(action, options = {}) {
      const all = isShared ? { registry, ...options } : options
      const circuit: Circuit = new Class(action as () => Promise<unknown>, all)
      circuits.push(circuit)
      for (const event of EVENTS) {
        circuit.on(event, (...args: unknown[]) => log.push([event, ...args.map(shown)]))
      }
      return circuit
    },
    async fire(circuit, ...args) {
      const answer = await circuit.fire(...args).then(
        value => ['=', shown(value)],
        error => ['!', shown(error)],
      )
      log.push(answer)
      return answer[1]
    },
    look(circuit) {
      const { opened, closed, halfOpen, pendingClose, enabled, warmUp, isShutdown } = circuit
      const flags = { opened, closed, halfOpen, pendingClose, enabled, warmUp, isShutdown }
      const on = Object.entries(flags).flatMap(([flag, isOn]) => (isOn ? [flag] : []))
      log.push([on.join(' '), circuit.stats])
    },
    settle,
    async advance(ms) {
      await settle()
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        registry.advance(STEP_MS)
        await vi.advanceTimersByTimeAsync(STEP_MS)
      }
    },
  }
  try {
    const result = await scenario(stage)
    return { log: [...log], result }
  } finally {
    for (const circuit of circuits) circuit.shutdown()
    registry.close()
    vi.useRealTimers()
  }
}

/** The same scenario with both. */
async function playBoth<R>(scenario: Scenario<R>): Promise<{
  opossum: { log: unknown[]; result: R }
  busbar: { log: unknown[]; result: R }
}> {
  return { opossum: await play(Opossum, scenario), busbar: await play(CircuitBreaker, scenario) }
}

/**
 * Both give the same events, answers, states and counts. `least`: what must be among them, so that
 * nothing is no agreement.
 */
export function alike(name: string, least: unknown[], scenario: Scenario): void {
  it(name, async () => {
    const { opossum, busbar } = await playBoth(scenario)
    expect(busbar.log).toEqual(opossum.log)
    expect(busbar.log).toEqual(expect.arrayContaining(least))
  })
}

/** What the same scenario returns with either. */
export function differ<R>(
  name: string,
  expected: { opossum: R; busbar: R },
  scenario: Scenario<R>,
): void {
  it(name, async () => {
    const { opossum, busbar } = await playBoth(scenario)
    expect({ opossum: opossum.result, busbar: busbar.result }).toEqual(expected)
  })
}

/** A registry for a test that plays no scenario. */
export function makeRegistry(): Registry {
  const registry = createRegistry({ clock: 'manual', keeper: false, maxBreakers: 8, maxThreads: 2 })
  onTestFinished(() => registry.close())
  return registry
}

export function delay<T>(ms: number, value?: T): Promise<T | undefined> {
  return new Promise(resolve => setTimeout(resolve, ms, value))
}

export const down = new Error('down')

/** Fails where it is told to. */
export async function act(outcome: unknown): Promise<unknown> {
  if (outcome === 'fail') throw down
  return outcome
}

/** A circuit for a test that plays no scenario, in a registry whose time stands still. */
export function make(
  options: Options = {},
  action = act,
): { registry: Registry; circuit: CircuitBreaker } {
  const registry = options.registry ?? makeRegistry()
  const circuit = new CircuitBreaker(action as (...args: unknown[]) => Promise<unknown>, {
    registry,
    ...options,
  })
  onTestFinished(() => circuit.shutdown())
  return { registry, circuit }
}

export function errorOf(call: Promise<unknown>): Promise<Error & { code?: string }> {
  return call.then(
    () => expect.unreachable(),
    error => error,
  )
}

/** News come in a microtask or, where another thread was faster, within a few turns of the loop. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}
