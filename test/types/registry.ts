// Type tests of registries, breakers' commands and snapshots: compiled, never run.
import {
  attachRegistry,
  type BreakerSnapshot,
  type CircuitBreaker,
  createRegistry,
  getRegistry,
  type KeeperState,
  type REFUSED,
  type Registry,
  type RegistryHandle,
  type RegistrySnapshot,
  type State,
  type Totals,
} from '../../src/index.ts'
import { type Equal, expectType } from './expect.ts'

export function disposal(): string[] {
  using registry = createRegistry()
  expectType<Equal<typeof registry, Registry>>()
  const disposable: Disposable = registry
  disposable[Symbol.dispose]()
  // @ts-expect-error there is nothing to wait for
  registry[Symbol.asyncDispose]
  return registry.names()
}

export function registries(registry: Registry, handle: RegistryHandle): void {
  expectType<Equal<ReturnType<typeof getRegistry>, Registry>>()
  expectType<Equal<ReturnType<typeof attachRegistry>, Registry>>()
  getRegistry()
  getRegistry({ maxBreakers: 8 })
  attachRegistry(registry.handle)
  expectType<Equal<typeof registry.handle, RegistryHandle>>()
  expectType<Equal<typeof handle.buffer, SharedArrayBuffer>>()
  expectType<Equal<ReturnType<Registry['now']>, number>>()
  expectType<Equal<ReturnType<Registry['names']>, string[]>>()
  expectType<Equal<ReturnType<Registry['get']>, CircuitBreaker | undefined>>()
  expectType<Equal<ReturnType<Registry['breaker']>, CircuitBreaker>>()
  expectType<Equal<ReturnType<Registry['snapshot']>, RegistrySnapshot>>()
  registry.advance(5)
  registry.dump('region')
  registry.dump(new URL('file:///tmp/region'))
  registry.close()

  // @ts-expect-error a buffer is no handle
  attachRegistry(handle.buffer)
  // @ts-expect-error nor is nothing
  attachRegistry()
  // @ts-expect-error the handle is the registry's
  registry.handle = handle
  // @ts-expect-error and what it holds stays so
  handle.buffer = new SharedArrayBuffer(8)
  // @ts-expect-error a breaker has a name
  registry.breaker()
  // @ts-expect-error which may be missing
  registry.get('b').state
  // @ts-expect-error Registry is a type: createRegistry, attachRegistry and getRegistry make one
  void Registry
}

export function breakers(breaker: CircuitBreaker): void {
  expectType<Equal<typeof breaker.state, State>>()
  expectType<
    Equal<State, 'closed' | 'open' | 'half-open' | 'forced-open' | 'disabled' | 'metrics-only'>
  >()
  expectType<Equal<typeof breaker.name, string>>()
  // Usable as a number, and as the literal that it is.
  expectType<Equal<typeof REFUSED, -1>>()
  breaker.open()
  breaker.open({ reason: 'maintenance' })
  breaker.forceOpen({ reason: 'maintenance', ttlMs: 5 })
  breaker.disable()
  breaker.metricsOnly()
  breaker.reset()

  // @ts-expect-error the state is changed by commands
  breaker.state = 'open'
  // @ts-expect-error the name stays
  breaker.name = 'other'
  // @ts-expect-error an opening waits as its options say
  breaker.open({ ttlMs: 5 })
  // @ts-expect-error a reason is text
  breaker.forceOpen({ reason: 5 })
  // @ts-expect-error CircuitBreaker is a type: registry.breaker makes one
  void CircuitBreaker
}

export function snapshots(snapshot: BreakerSnapshot, registry: RegistrySnapshot): void {
  expectType<Equal<typeof snapshot.state, State>>()
  expectType<Equal<typeof snapshot.totals, Totals>>()
  expectType<Equal<typeof snapshot.window.calls, number>>()
  expectType<Equal<typeof snapshot.window.failureRate, number | null>>()
  expectType<Equal<typeof snapshot.window.slowCallRate, number | null>>()
  expectType<Equal<NonNullable<typeof snapshot.trials>['permitted'], number>>()
  expectType<Equal<NonNullable<typeof snapshot.openedBy>['slowCalls'], number>>()
  const numbers: Record<keyof Totals, number> = snapshot.totals
  const breakers: readonly BreakerSnapshot[] = registry.breakers
  void [numbers, breakers]
  expectType<Equal<typeof registry.keeper, KeeperState>>()
  expectType<Equal<KeeperState, 'none' | 'asleep' | 'awake'>>()

  // @ts-expect-error no rate below the minimum number of calls
  snapshot.window.failureRate.toFixed(2)
  // @ts-expect-error trials only while half-open
  snapshot.trials.permitted
  // @ts-expect-error and what opened it only while open and half-open
  snapshot.openedBy.calls
}
