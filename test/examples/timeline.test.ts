import { expect, test } from 'vitest'
import { runScript } from './run-example.ts'

interface Line {
  readonly kind: 'call' | 'trial' | 'refused'
  readonly failed: boolean
  readonly state: string
}

test('the timeline demo shows a breaker open, try in vain, and close', async () => {
  const lines = parse(await runScript('examples/timeline/main.mjs'))
  expect(lines).toHaveLength(20)

  // c/C a call that failed/succeeded, t/T a trial that did, r a refusal
  const order = lines.map(letter).join('')
  expect(order).toMatch(/^ccc(r+t)+r+TC+$/)
  expect(lines.map(stateAfter)).toEqual(lines.map(line => line.state))

  function stateAfter(_line: Line, i: number): string {
    const first = order.indexOf('T')
    return i < 2 || i >= first ? 'closed' : 'open'
  }
})

function letter({ kind, failed }: Line): string {
  if (kind === 'refused') return 'r'
  const initial = kind === 'call' ? 'c' : 't'
  return failed ? initial : initial.toUpperCase()
}

function parse(text: string): Line[] {
  const pattern = /^ +\d+\.\d s +(call|trial|refused)\b(.*) ([a-z-]+)$/gm
  return [...text.matchAll(pattern)].map(([, kind, rest = '', state = '']) => ({
    kind: kind as Line['kind'],
    failed: rest.includes('failed'),
    state,
  }))
}
