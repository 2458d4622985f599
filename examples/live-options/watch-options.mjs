// Gives breakers the options that a JSON file says, by name, whenever it says something else:
//
//   { "stock": { "failureRateThreshold": 0.2 }, "payments": { "optionSet": "storm" } }
//
// What the file leaves out stays as it is. One thread watches; `configure` is for all of them.
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createRegistry } from 'busbar'

/**
 * Watches until the function that it returns is called, and keeps no process alive. `report` is
 * called for each new content: with the error when it is refused, and then no breaker has changed.
 *
 * @param {import('busbar').Registry} registry
 * @param {string} file
 * @param {{ optionSets?: object, intervalMs?: number, report: (error?: Error) => void }} how
 *   `optionSets`: those of the registry
 */
export function watchOptions(registry, file, { optionSets = {}, intervalMs = 1000, report }) {
  let handled
  let timer

  function handle() {
    try {
      const text = readFileSync(file, 'utf8')
      if (text === handled) return
      handled = text
      const wanted = Object.entries(JSON.parse(text))
      rehearse(registry, optionSets, wanted)
      for (const [name, options] of wanted) registry.get(name).configure(options)
    } catch (error) {
      report(error)
      return
    }
    report()
  }

  /** Waits until the file is left alone: it may be half written. */
  function handleSoon() {
    clearTimeout(timer)
    timer = setTimeout(handle, intervalMs).unref()
  }

  // Looks every `intervalMs`. fs.watch would be told sooner, but on network drives, in containers
  // and of files that are replaced by renaming not everywhere.
  watchFile(file, { interval: intervalMs, persistent: false }, handleSoon)
  handle()
  handleSoon() // for a change before the first look
  return () => {
    unwatchFile(file, handleSoon)
    clearTimeout(timer)
  }
}

/** On copies of the breakers, so that a file is used as a whole or not at all. */
function rehearse(registry, optionSets, wanted) {
  const maxBreakers = Math.max(1, wanted.length)
  const stage = createRegistry({ clock: 'manual', maxBreakers, maxThreads: 1, optionSets })
  try {
    for (const [name, options] of wanted) {
      const breaker = registry.get(name)
      if (breaker === undefined) throw new Error(`no breaker is named ${JSON.stringify(name)}`)
      stage.breaker(name, breaker.options).configure(options)
    }
  } finally {
    stage.close()
  }
}
