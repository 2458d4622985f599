/** Answers as text. */
import { readingOf, tableOf } from './figures.mjs'

/**
 * Columns, the first to the left and the others to the right.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} lines
 */
export function textTable(head, lines) {
  const widths = head.map((_, at) => Math.max(...[head, ...lines].map(line => line[at].length)))
  const write = line =>
    line
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
      .join('  ')
      .trimEnd()
  const rule = widths
    .map(width => '-'.repeat(width))
    .join('  ')
    .trimEnd()
  return [write(head), rule, ...lines.map(write)].join('\n')
}

/** @param {import('./result.mjs').Panel} panel */
function panelText(panel) {
  const { head, lines } = tableOf(panel)
  return `${panel.title} (${readingOf(panel)})\n\n${textTable(head, lines)}\n`
}

/** @param {import('./result.mjs').Answer & { title: string }} answer */
export function answerText(answer) {
  const title = `${answer.title}\n${'='.repeat(answer.title.length)}\n`
  const notes = answer.notes.map(note => `* ${note}`).join('\n')
  return [title, ...answer.panels.map(panelText), ...(notes === '' ? [] : [`${notes}\n`])].join(
    '\n',
  )
}
