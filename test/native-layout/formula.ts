/** Computes the formulas of layout.json, from nothing but layout.json. */
import type { LayoutDescription } from '../../scripts/layout/json.ts'

type Values = Map<string, number>

/** The start of each part, and the end, in bytes; and every formula's value. */
export function placesOf(
  layout: LayoutDescription,
  shape: 'region' | 'record' | 'control',
  variables: Readonly<Record<string, number>>,
): { starts: Readonly<Record<string, number>>; bytes: number; values: Values } {
  const { formulas, parts, variables: known } = layout.formulas[shape]
  const values: Values = new Map(layout.constants.map(({ name, value }) => [name, value]))
  for (const { values: named } of layout.enumerations) {
    for (const { name, value } of named) values.set(name, value)
  }
  for (const name of Object.keys(known)) values.set(name, variables[name] ?? Number.NaN)
  for (const { name, formula } of formulas) values.set(name, compute(layout, values, formula))
  const starts: Record<string, number> = {}
  let bytes = 0
  for (const part of parts) {
    starts[part.name] = bytes
    bytes += compute(layout, values, part.bytes)
  }
  return { starts, bytes, values }
}

export function compute(layout: LayoutDescription, values: Values, formula: string): number {
  const tokens = formula.match(/\d+|\w+|\S/g) ?? []
  let at = 0

  function sum(): number {
    let left = product()
    while (tokens[at] === '+' || tokens[at] === '-') {
      left += tokens[at++] === '+' ? product() : -product()
    }
    return left
  }

  function product(): number {
    let left = factor()
    while (tokens[at] === '*' || tokens[at] === '/') {
      left = tokens[at++] === '*' ? left * factor() : left / factor()
    }
    return left
  }

  function factor(): number {
    const token = tokens[at++] ?? ''
    if (/^\d/.test(token)) return Number(token)
    if (token === '(') return closed(sum())
    if (token === 'size') return size()
    if (tokens[at] === '(') return call(token)
    const value = values.get(token)
    if (value === undefined) throw new Error(`${formula}: what is ${token}?`)
    return value
  }

  function size(): number {
    const name = tokens[++at]
    at++
    const struct = layout.structs.find(found => found.name === name)
    if (struct === undefined) throw new Error(`${formula}: no struct ${name}`)
    return closed(struct.size)
  }

  function call(name: string): number {
    const given: number[] = []
    do {
      at++
      given.push(sum())
    } while (tokens[at] === ',')
    const [x = Number.NaN, y = Number.NaN] = given
    if (name === 'ceilTo') return closed(Math.ceil(x / y) * y)
    if (name === 'pow2Ceil') return closed(2 ** Math.ceil(Math.log2(x)))
    if (name === 'is') return closed(x === y ? 1 : 0)
    throw new Error(`${formula}: no function ${name}`)
  }

  function closed(value: number): number {
    if (tokens[at++] !== ')') throw new Error(`${formula}: a parenthesis is open`)
    return value
  }

  const result = sum()
  if (at !== tokens.length) throw new Error(`${formula}: ${tokens[at]} is too much`)
  return result
}
