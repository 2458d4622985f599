/** `busbar-dump` on a region whose breakers were removed, made again and given other options. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRegistry } from '../../src/index.ts'
import { makeFolder, runTool } from './support.ts'

it('prints who is removed, whose options are others, and who belongs to a group', async () => {
  const registry = createRegistry({ clock: 'manual', maxThreads: 1, maxBreakers: 5 })
  const row = { slidingWindow: { type: 'consecutive', failures: 3 } } as const
  const first = registry.breaker('first', row)
  first.recordFailure(first.tryAcquire(), 5)
  first.disable()
  first.reset()
  registry.breaker('gone').forceOpen({ reason: 'moved' })
  for (const name of ['first', 'gone']) registry.remove(name)
  const next = registry.breaker('next', row)
  next.recordSuccess(next.tryAcquire())
  next.disable()
  const count = { slidingWindow: { type: 'count', size: 10 } } as const
  registry.breaker('others', count).configure({ minimumNumberOfCalls: 7, trialTimeoutMs: 3000 })
  registry
    .keyed('host', { ...row, max: 2 })
    .breaker('a')
    .tryAcquire()
  const file = join(makeFolder(), 'region')
  registry.dump(file)
  const { code, stdout } = await runTool(file)
  expect(stdout).toMatch(/^findings: none$/m)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}breakers +3 of 5; 1 record of removed ones$/m)
  expect(stdout.match(/^breaker .*$/gm)).toEqual([
    'breaker "next"',
    'breaker "gone", removed',
    'breaker "others"',
    'breaker "host:a"',
  ])
  expect(stdout).toMatch(
    /^ {2}record +from word [\d,]+ on, \d+ lines; its own from generation 4 on$/m,
  )
  expect(stdout).toMatch(/^ {2}state +removed, generation 2$/m)
  expect(stdout).toMatch(/^ {2}group +"host", at most 2 breakers$/m)
  const made = /^ {2}made with\n\n {4}minimumNumberOfCalls +10\n {4}trialTimeoutMs +60_000\n\n/m
  expect(stdout).toMatch(made)
  const { breakers, history } = JSON.parse((await runTool(file, '--json')).stdout)
  expect(breakers).toMatchObject([
    { removed: false, state: 'disabled', edition: 2, first: 4, made: null, totals: { failed: 0 } },
    { removed: true, state: 'removed', generation: 2, group: null },
    { edition: 2, stateEdition: 2, made: { minimumNumberOfCalls: 10 }, first: 0 },
    { group: { prefix: 'host', max: 2 } },
  ])
  expect(history.map(({ breaker, to }: Moved) => `${breaker} ${to}`)).toEqual([
    'gone forced-open',
    'next disabled',
  ])
})

interface Moved {
  readonly breaker: string
  readonly to: string
}
