/** Boxes of characters. */
import type { Packing, Struct } from '../../src/memory/described/types.ts'
import { LINE_BYTES } from '../../src/memory/layout.ts'

export interface Box {
  /** Above its left and its right end. */
  readonly left?: string
  readonly right?: string
  readonly name: string
  /** Below, on as many lines as it takes. */
  readonly caption?: string
}

/** Boxes side by side, with what stands above and below them. */
export function row(boxes: readonly Box[]): string {
  const widths = boxes.map(widthOf)
  const at = (index: number): number => widths[index] ?? 0
  const line = (cells: readonly string[], edge: string, fill: string): string =>
    ` ${edge}${cells.map((cell, index) => cell.padEnd(at(index), fill)).join(edge)}${edge}`
  const border = line(
    boxes.map(() => ''),
    '+',
    '-',
  )
  const captions = boxes.map(({ caption = '' }, index) => wrap(caption, at(index) - 1))
  const depth = Math.max(...captions.map(lines => lines.length))
  const below = Array.from({ length: depth }, (_, index) =>
    line(
      captions.map(lines => ` ${lines[index] ?? ''}`),
      ' ',
      ' ',
    ),
  )
  const above = line(
    boxes.map(({ left = '', right = '' }, index) => left.padEnd(at(index) - right.length) + right),
    ' ',
    ' ',
  )
  const body = line(
    boxes.map(({ name }) => ` ${name}`),
    '|',
    ' ',
  )
  return [above, border, body, border, ...below]
    .map(text => text.trimEnd())
    .filter(text => text !== '')
    .join('\n')
}

function widthOf({ left = '', right = '', name, caption = '' }: Box): number {
  const words = caption.split(' ').map(word => word.length)
  return Math.max(name.length, ...words, left.length + right.length) + 2
}

/** The text in lines of at most `width`, or one word. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(word)
  }
  return lines
}

/** The fields of a packed word, from the highest bit to the lowest. */
export function bitsOf({ fields }: Packing): string {
  return row(
    fields.map(({ name, bits, shift }) => ({
      left: `${shift + bits - 1}`,
      right: bits > 1 ? `${shift}` : '',
      name: `${name} ${bits}`,
    })),
  )
}

/** The words of a struct, a row for each line in which some start. */
export function wordsOf({ words }: Struct): string {
  const lineOf = (offset: number): number => Math.floor(offset / LINE_BYTES)
  const started = [...new Set(words.map(({ offset }) => lineOf(offset)))]
  return started
    .map(line =>
      row(
        words
          .filter(({ offset }) => lineOf(offset) === line)
          .map(({ name, offset, count }) => ({
            left: `${offset}`,
            name,
            caption: count === undefined ? '' : `× ${count}`,
          })),
      ),
    )
    .join('\n\n')
}
