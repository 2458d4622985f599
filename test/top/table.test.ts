/** The table that `busbar top` draws, from the stream's own events. */
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Sampler } from '../../src/dashboard/sampler.ts'
import type { Frame, Snapshot } from '../../src/dashboard/wire.ts'
import { createRegistry, type Registry } from '../../src/index.ts'
import { Board } from '../../src/top/board.ts'
import { duration, latency, pad, percent, widthOf } from '../../src/top/format.ts'
import { type Look, render } from '../../src/top/table.ts'
import { call, QUICK } from '../dashboard/support.ts'

const PLAIN: Look = { size: undefined, isColoured: false, offset: 0, link: '' }

function dataOf<T>(text: string): T {
  return JSON.parse(text.split('\n')[1]?.slice('data: '.length) ?? '') as T
}

/** What is seen of a registry after `work` and a second. */
function boardOf(work: (registry: Registry) => void): Board {
  const registry = createRegistry({ clock: 'manual' })
  const sampler = new Sampler(registry, 1_000)
  sampler.start()
  const board = new Board()
  board.takeSnapshot(dataOf<Snapshot>(sampler.snapshot()))
  work(registry)
  registry.advance(1_000)
  board.takeFrame(dataOf<Frame>(sampler.nextFrame()))
  return board
}

function trouble(registry: Registry): void {
  registry.breaker('calm', QUICK)
  registry.breaker('payments', { ...QUICK, slowCallDurationThresholdMs: 15 })
  registry.breaker('mail', { slidingWindow: { type: 'consecutive', failures: 5 } })
  registry.breaker('search', QUICK).forceOpen({ reason: 'moving' })
  call(registry, 'calm', 20, 1)
  call(registry, 'payments', 4, 4)
  call(registry, 'payments', 50, 0)
  call(registry, 'mail', 2, 2)
}

function sized(columns: number, rows: number): Look {
  return { ...PLAIN, size: { columns, rows } }
}

describe('the table', () => {
  it('has trouble first, and says what the page says', () => {
    const [summary, , head, ...rows] = render(boardOf(trouble), PLAIN)
    expect(summary).toBe('busbar  |  1 open, 1 forced-open, 2 closed  |  1 threads  |  no keeper')
    expect(head?.split(/\s{2,}/)).toEqual([
      'STATE',
      'BREAKER',
      'FOR',
      'FAILURES',
      'SLOW',
      'CALLS/S',
      'REFUSED/S',
      'P50',
      'P99',
      'IN FLIGHT',
      'NEXT TRIAL',
      'LAST CHANGE',
    ])
    expect(rows.map(row => row.split(/\s{2,}/).slice(0, 2))).toEqual([
      ['open', 'payments'],
      ['forced-open', 'search'],
      ['closed', 'calm'],
      ['closed', 'mail'],
    ])
    expect(rows[0]).toMatch(/ 1s +100% of 50% +100% +4 +50 .* in 59s +failure rate, thread 0$/)
    expect(rows[1]).toMatch(/when told +moving, thread 0$/)
    expect(rows[2]).toMatch(/5% of 50% +20 +0 /)
    expect(rows[3]).toMatch(/2 of 5 in a row/)
  })

  it('says so when there is no breaker', () => {
    expect(
      render(
        boardOf(() => {}),
        PLAIN,
      )[0],
    ).toContain('no breakers')
  })

  it('says what trials are doing', () => {
    const board = boardOf(registry => {
      registry.breaker('a', { ...QUICK, waitDurationInOpenStateMs: 0 })
      call(registry, 'a', 4, 4)
      registry.breaker('a').tryAcquire()
    })
    expect(render(board, PLAIN)[3]).toMatch(/^half-open +a .*0\/2 ok, 1 out +wait over, thread 0$/)
  })

  it.each([200, 120, 100, 80, 60, 40, 20, 5, 1])('fits %d columns', columns => {
    const lines = render(boardOf(trouble), sized(columns, 24))
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
    // What matters most stays longest.
    if (columns >= 40) expect(lines[3]).toMatch(/^open +payments .*100% of 50%/)
  })

  it.each([24, 10, 5, 4, 3, 1])('fits %d rows, and says what is left out', rows => {
    const board = boardOf(registry => {
      for (let each = 0; each < 30; each++) registry.breaker(`service-${each}`, QUICK)
    })
    const lines = render(board, sized(100, rows))
    expect(lines.length).toBeLessThanOrEqual(rows)
    if (rows >= 4) expect(lines.at(-1)).toBe(`${30 - (rows - 4)} more below`)
  })

  it('scrolls', () => {
    const board = boardOf(registry => {
      for (let each = 0; each < 30; each++) registry.breaker(`service-${each}`, QUICK)
    })
    const lines = render(board, { ...sized(100, 10), offset: 5 })
    expect(lines[3]).toMatch(/^closed +service-5 /)
    expect(lines.at(-1)).toBe('5 above, 19 more below')
  })

  it('has colours only where they are asked for, and none that moves a column', () => {
    const board = boardOf(trouble)
    const plain = render(board, sized(120, 24))
    const coloured = render(board, { ...sized(120, 24), isColoured: true })
    expect(plain.join('')).not.toContain('\x1b')
    expect(coloured[3]?.startsWith('\x1b[1;31mopen')).toBe(true)
    const bare = coloured.map(line => stripVTControlCharacters(line))
    expect(bare).toEqual(plain)
  })

  it('shows names that would move the cursor as what they are', () => {
    const board = boardOf(registry => {
      registry.breaker('a\x1b[2Jb\nc\u202ed', QUICK).forceOpen({ reason: '\x1b]0;title\x07' })
      registry.breaker('電気-🔌-é', QUICK)
    })
    const lines = render(board, sized(120, 24))
    expect(lines[3]).toContain('a\\u{1b}[2Jb\\u{a}c\\u{202e}d')
    for (const line of lines) expect(line).not.toMatch(/\p{Cc}|\u202e/u)
    // The columns behind a wide name stand where they stand in other rows.
    expect(widthOf(lines[4]?.split('1s')[0] ?? '')).toBe(widthOf(lines[3]?.split('1s')[0] ?? ''))
  })
})

describe('numbers in few characters', () => {
  it.each([
    [0, '0s'],
    [999, '0s'],
    [12_400, '12s'],
    [200_000, '3m20s'],
    [7_500_000, '2h05m'],
    [90_000_000, '1d01h'],
  ])('%d ms is %s', (ms, text) => expect(duration(ms)).toBe(text))

  it.each([
    [null, '-'],
    [0.04, '0ms'],
    [3.21, '3.2ms'],
    [432.1, '432ms'],
    [1_340, '1.3s'],
    [150_000, '2m30s'],
  ])('a call of %d ms took %s', (ms, text) => expect(latency(ms)).toBe(text))

  it.each([
    [null, '-'],
    [0, '0%'],
    [0.001, '<1%'],
    [0.5, '50%'],
    [0.999, '>99%'],
    [1, '100%'],
  ])('%d is %s', (part, text) => expect(percent(part)).toBe(text))

  it.each([
    ['abc', 5, 'abc  '],
    ['abcdef', 4, 'abc…'],
    ['電気電気', 5, '電気…'],
    ['電気電気', 4, '電… '],
    ['abc', 1, '…'],
    ['abc', 0, ''],
  ])('%s in %d columns', (text, width, expected) => expect(pad(text, width)).toBe(expected))
})
