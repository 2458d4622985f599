/**
 * A state is given once, whatever comes between: another thread at each access of shared memory
 * that making a breaker takes, or the maker's death there.
 */
import { describe, expect, it, vi } from 'vitest'
import {
  attachRegistry,
  type CircuitBreaker,
  type ExportedBreaker,
  type Registry,
} from '../../src/index.ts'
import { verify } from '../../src/verify/verify.ts'
import { OPTIONS, start, succeed } from './support.ts'

const MAX_ACCESSES = 500

const gate = vi.hoisted(() => ({
  left: Number.POSITIVE_INFINITY,
  dead: false,
  between: (): void => {},
}))

vi.mock('../../src/memory/atomics.ts', async importOriginal => {
  const door = await importOriginal<Record<string, unknown>>()
  const gated = (access: (...args: unknown[]) => unknown) => {
    return (...args: unknown[]) => {
      if (gate.dead) throw new Error('dead')
      if (gate.left-- === 0) gate.between()
      return access(...args)
    }
  }
  const verbs = ['load', 'store', 'add', 'compareExchange', 'load64', 'compareExchange64', 'notify']
  const through = verbs.map(verb => [verb, gated(door[verb] as (...args: unknown[]) => unknown)])
  return { ...door, ...Object.fromEntries(through) }
})

/** Does `work` and, before its k-th access, `between`; whether it came to that. */
function interrupted(work: () => void, k: number, between: () => void): boolean {
  let came = false
  gate.left = k
  gate.between = () => {
    gate.left = Number.POSITIVE_INFINITY
    came = true
    between()
  }
  try {
    work()
  } catch (error) {
    if (!gate.dead) throw error
  }
  gate.left = Number.POSITIVE_INFINITY
  gate.dead = false
  return came
}

const OPEN = { name: 'b', state: 'open', openings: 3, remainingMs: 700 } as const
const HELD = { name: 'b', state: 'forced-open', openings: 2, reason: 'INC-1207' } as const

/** Two threads of a process that started with one state. */
function crew(breaker: typeof OPEN | typeof HELD): { one: Registry; two: Registry } {
  const one = start({ import: { busbar: 1, breakers: [breaker] } })
  return { one, two: attachRegistry(one.handle) }
}

function ways(registry: Registry): string[] {
  return registry.history().map(({ from, to }) => `${from} > ${to}`)
}

/** Tries every access in turn; how many there were. */
function atEach(attempt: (k: number) => boolean): number {
  for (let k = 0; k < MAX_ACCESSES; k++) if (!attempt(k)) return k
  throw new Error(`more than ${MAX_ACCESSES} accesses`)
}

describe('another thread that comes between', () => {
  const things: [string, (breaker: CircuitBreaker, two: Registry) => void, string[]][] = [
    ['only looks', breaker => expect(breaker.state).toBe('open'), ['closed > open']],
    ['resets it', breaker => breaker.reset(), ['closed > open', 'open > closed']],
    [
      'sees it recover',
      (breaker, two) => {
        expect(breaker.tryAcquire()).toBe(-1)
        two.advance(700)
        succeed(breaker)
      },
      ['closed > open', 'open > half-open', 'half-open > closed'],
    ],
  ]
  it.each(things)('and %s', (_, thing, expected) => {
    const accesses = atEach(k => {
      const { one, two } = crew(OPEN)
      const came = interrupted(
        () => one.breaker('b', OPTIONS),
        k,
        () => thing(two.breaker('b', OPTIONS), two),
      )
      if (!came) thing(two.breaker('b', OPTIONS), two)
      expect(ways(one), `at access ${k}`).toEqual(expected)
      expect(one.breaker('b').state).toBe(expected.at(-1)?.split(' > ')[1])
      expect(verify(one.handle.buffer, { quiet: true }), `at access ${k}`).toEqual([])
      two.close()
      return came
    })
    expect(accesses).toBeGreaterThan(20)
  })
})

describe('an export', () => {
  it('names a breaker once, also where another thread makes it meanwhile', () => {
    const accesses = atEach(k => {
      const { one, two } = crew(OPEN)
      let found: readonly ExportedBreaker[] = []
      const came = interrupted(
        () => {
          found = one.export().breakers
        },
        k,
        () => two.breaker('b', OPTIONS),
      )
      expect(found, `at access ${k}`).toEqual([expect.objectContaining({ name: 'b', openings: 3 })])
      two.close()
      return came
    })
    expect(accesses).toBeGreaterThan(2)
  })
})

describe('a maker that dies', () => {
  it.each([OPEN, HELD])('leaves a breaker that has its state: $state', exported => {
    atEach(k => {
      const { one, two } = crew(exported)
      const came = interrupted(
        () => one.breaker('b', OPTIONS),
        k,
        () => {
          gate.dead = true
          throw new Error('dead')
        },
      )
      const breaker = two.breaker('b', OPTIONS)
      expect(breaker.state, `dead at access ${k}`).toBe(exported.state)
      const { openings } = exported
      expect(two.export().breakers).toMatchObject([{ state: exported.state, openings }])
      breaker.reset()
      expect(ways(two)).toEqual([`closed > ${exported.state}`, `${exported.state} > closed`])
      expect(attachRegistry(two.handle).breaker('b').state).toBe('closed')
      expect(verify(two.handle.buffer, { deaths: true }), `dead at access ${k}`).toEqual([])
      two.close()
      return came
    })
  })
})
