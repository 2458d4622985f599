// Which breaker guards a call: the key decides, and the registry in which the key is looked up.

/** @typedef {import('busbar').Registry} Registry */

const LONGER_THAN_THE_RUN_MS = 600_000

const keys = {
  dependency: callSite => callSite.dependency,
  'call site': callSite => `${callSite.dependency}: ${callSite.site}`,
}

/**
 * The limit is part of the name, because one process-wide registry serves the runs with each limit.
 * @param {Registry} registry
 * @param {{ key: 'dependency' | 'call site', failures: number }} options
 */
export function breakersOf(registry, { key, failures }) {
  const ending = `, ${failures} in a row`
  return {
    breakerFor: callSite =>
      registry.breaker(keys[key](callSite) + ending, {
        slidingWindow: { type: 'consecutive', failures },
        waitDurationInOpenStateMs: LONGER_THAN_THE_RUN_MS,
      }),
    /** How many breakers there are, and how many of them are open. */
    count() {
      const names = registry.names().filter(name => name.endsWith(ending))
      const open = names.filter(name => registry.get(name)?.state === 'open')
      return { breakers: names.length, open: open.length }
    },
  }
}
