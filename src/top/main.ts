#!/usr/bin/env node
/** The program `busbar`. */
import { Complaint, HELP, readArguments } from './arguments.ts'
import { printOnce, watch } from './watch.ts'

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2))
  if (given === 'help') {
    process.stdout.write(HELP)
    return
  }
  const isTerminal = process.stdout.isTTY === true
  const isColoured = isTerminal && !process.env.NO_COLOR
  if (given.once || !isTerminal) await printOnce(given.url, isColoured)
  else await watch(given.url, isColoured)
}

// Whoever reads the output may stop before its end, as `head` does.
process.stdout.on('error', error => {
  if (Reflect.get(error, 'code') !== 'EPIPE') throw error
  process.exit()
})

try {
  await main()
} catch (error) {
  if (!(error instanceof Complaint)) throw error
  process.stderr.write(`busbar: ${error.message}\n`)
  process.exitCode = error.exitCode
}
