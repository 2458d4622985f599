/** The keyboard: `/` to filter, arrows from row to row, `t` to the timeline, Escape to undo. */

export function listenToKeys({ filter, list, onEscape }) {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isTyping = event.target === filter
    const act = isTyping ? typing[event.key] : reading[event.key]
    if (act === undefined) return
    if (act({ filter, list, onEscape }) !== false) event.preventDefault()
  })
  // A row that was clicked is where the arrows go on from.
  document.getElementById('rows').addEventListener('click', event => {
    if (getSelection()?.isCollapsed) event.target.closest('.row')?.focus({ preventScroll: true })
  })
}

const typing = {
  Escape: ({ onEscape }) => onEscape(),
  Enter: ({ list }) => move(list, rows => rows[0]),
  ArrowDown: ({ list }) => move(list, rows => rows[0]),
}

const next = ({ list }) => move(list, (rows, at) => rows[at + 1])
const previous = ({ list }) => move(list, (rows, at) => rows[at < 0 ? 0 : at - 1])

const reading = {
  '/': ({ filter }) => {
    filter.focus()
    filter.select()
  },
  Escape: ({ onEscape }) => onEscape(),
  t: () => {
    const title = document.getElementById('timeline-title')
    title.focus()
    title.scrollIntoView({ block: 'nearest' })
  },
  j: next,
  k: previous,
  ArrowDown: next,
  ArrowUp: previous,
  Home: ({ list }) => move(list, rows => rows[0]),
  End: ({ list }) => move(list, rows => rows.at(-1)),
}

/** Gives the focus to the row that `choose` says; false where there is none. */
function move(list, choose) {
  const rows = list.rows
  const row = choose(rows, rows.indexOf(document.activeElement))
  if (row === undefined) return false
  row.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
  return true
}
