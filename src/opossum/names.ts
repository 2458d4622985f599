/**
 * How a circuit's breaker is called. Breakers of one name are one breaker, in every thread. So a
 * name that was not given, but taken from an action, must not be that of another action too.
 */
import { randomUUID } from 'node:crypto'
import { InvalidOptionError } from '../errors.ts'
import type { Registry } from '../registry.ts'

/** A name in use by a circuit of this thread. */
interface Claim {
  readonly name: string
  readonly action: unknown
  readonly isGiven: boolean
}

const claims = new WeakMap<Registry, Set<Claim>>()

export interface ClaimedName {
  readonly name: string
  release(): void
}

/** @throws InvalidOptionError, also where another action is called the same by accident */
export function claimName(
  registry: Registry,
  action: unknown,
  given: string | undefined,
): ClaimedName {
  const isGiven = given !== undefined
  const said = given ?? nameOf(action)
  // What has no name gets one that nobody else has, in any thread.
  const name = said ?? randomUUID()
  const claim: Claim = { name, action, isGiven }
  const held = claims.get(registry) ?? new Set()
  for (const other of held) {
    if (other.name !== name || other.action === action || (isGiven && other.isGiven)) continue
    const reason = `another action in use is called ${JSON.stringify(name)}`
    const limit = `given for both: ${reason}, and breakers of one name are one breaker`
    throw new InvalidOptionError('options.name', given, limit)
  }
  claims.set(registry, held.add(claim))
  const release = (): void => {
    held.delete(claim)
    if (said === undefined && !registry.closed) registry.remove(name)
  }
  return { name, release }
}

/** The function's name, if it has one. */
function nameOf(action: unknown): string | undefined {
  return (typeof action === 'function' && action.name) || undefined
}
