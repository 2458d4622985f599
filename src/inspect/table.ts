/** Text in columns, and values as people read them. */

/** Numbers with separators; at most three places after the point, the clock's microseconds. */
export function count(value: number): string {
  return format.format(value)
}

const format = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 })

export function ms(time: number | null): string {
  if (time === null) return 'not said'
  return time === Number.POSITIVE_INFINITY ? 'for ever' : `${count(time)} ms`
}

/** "1 call", "2 calls". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** A name as it can stand in a terminal: quoted, nothing in it that moves the cursor or the eye. */
export function quoted(text: string): string {
  return visible(JSON.stringify(text))
}

export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, character => {
    return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
  })
}

/** Lines of "label  value", values below each other. */
export function pairs(rows: readonly (readonly [string, string])[], indent: string): string[] {
  const width = Math.max(0, ...rows.map(([label]) => label.length))
  return rows.map(([label, value]) => `${indent}${label.padEnd(width)}  ${value}`.trimEnd())
}

/** A cell that is a number stands to the right in its column, one that is text to the left. */
export type Cell = number | string

/** A head and rows in columns. The head of a column stands as its cells do. */
export function table(head: readonly string[], rows: readonly Cell[][], indent: string): string[] {
  const texts = rows.map(row => row.map(cell => (typeof cell === 'number' ? count(cell) : cell)))
  const lines = [[...head], ...texts]
  const widths = head.map((_, at) => Math.max(...lines.map(line => line[at]?.length ?? 0)))
  const isNumber = head.map((_, at) => rows.some(row => typeof row[at] === 'number'))
  return lines.map(line => {
    const padded = line.map((text, at) =>
      isNumber[at] ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0),
    )
    return `${indent}${padded.join('  ')}`.trimEnd()
  })
}
