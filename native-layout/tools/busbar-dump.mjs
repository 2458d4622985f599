#!/usr/bin/env node
/**
 * Prints a region that `registry.dump()` wrote to a file, or that stands in a core dump, and what
 * the verifier finds in it. The work is done in src/inspect and src/verify, built into dist/.
 */
import { parseArgs } from 'node:util'

const HELP = `usage: busbar-dump [options] <file>

Prints a busbar region from a file that registry.dump(path) wrote: header, slots,
the last transitions, breakers and controls with their shards, and what a
verifier finds.

  --breaker <name>   print this breaker only (the findings are still those of all)
  --history <count>  print so many transitions, not 20; with --json all are there
  --json             the same as JSON; times in ms, "for ever" where there is no end
  --offset <bytes>   the region starts there: for core dumps; 4096 or 0x1000
  --find             list where in the file regions may start
  --help             print this

Exit code: 0 nothing found, 1 findings, 2 not a region, not readable, or a wrong option.
With --find: 0 when a whole region is there, else 2.
`

const OPTIONS = {
  breaker: { type: 'string' },
  history: { type: 'string' },
  json: { type: 'boolean', default: false },
  offset: { type: 'string' },
  find: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
}

/** What a user did wrong, or what is wrong with the file: one line, no stack. */
class Refusal extends Error {}

function readArguments() {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw new Refusal(`${error.message.split('\n')[0]} (--help lists the options)`)
  }
}

function readOffset(text) {
  const offset = /^(\d+|0x[\da-f]+)$/i.test(text) ? Number(text) : Number.NaN
  if (Number.isSafeInteger(offset)) return offset
  throw new Refusal(`--offset must be a number of bytes, like 4096 or 0x1000; got "${text}"`)
}

function readCount(text) {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Refusal(`--history must be a number of transitions, like 100; got "${text}"`)
}

function json(value) {
  const plain = (_, field) => (field === Number.POSITIVE_INFINITY ? 'for ever' : field)
  return `${JSON.stringify(value, plain, 2)}\n`
}

function find(parts, file, asJson) {
  const found = parts.findRegions(file)
  process.stdout.write(asJson ? json(found) : parts.candidatesText(file, found))
  return found.some(({ reason }) => reason === undefined) ? 0 : 2
}

function print(parts, file, { breaker: name, history: last, json: asJson, offset }) {
  const start = offset === undefined ? undefined : readOffset(offset)
  const count = last === undefined ? undefined : readCount(last)
  const whole = parts.viewOf(parts.readRegion(file, start))
  const isAsked = asked => name === undefined || asked === name
  const history = whole.history.filter(({ breaker }) => isAsked(breaker))
  const controls = name === undefined ? whole.controls : []
  const view = { ...whole, history, controls }
  const breakers = view.breakers.filter(breaker => isAsked(breaker.name))
  if (name !== undefined && breakers.length === 0) {
    const names = view.breakers.map(breaker => JSON.stringify(breaker.name)).join(', ')
    throw new Refusal(`no breaker is called ${JSON.stringify(name)}; there are: ${names || 'none'}`)
  }
  process.stdout.write(
    asJson ? json({ ...view, breakers }) : parts.textOf(file, view, breakers, count),
  )
  return view.findings.length === 0 ? 0 : 1
}

async function main() {
  const { values, positionals } = readArguments()
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const [file] = positionals
  if (positionals.length !== 1) throw new Refusal(`one file, please; got ${positionals.length}`)
  const parts = await import('../../dist/inspect/index.js')
  try {
    return values.find ? find(parts, file, values.json) : print(parts, file, values)
  } catch (error) {
    throw error instanceof parts.UnreadableError ? new Refusal(error.message) : error
  }
}

// Whoever reads the output may stop before its end, as `head` does.
process.stdout.on('error', error => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  process.stderr.write(`busbar-dump: ${error.message}\n`)
  process.exitCode = 2
}
