/** Plays a list of choices again and prints each step with the ATOMIC tag of the code that made it. */
import { readFileSync } from 'node:fs'
import type { Choice } from './begin.ts'
import { machine } from './machine.ts'
import type { Scenario } from './scenario.ts'
import type { Operation, SimThread } from './thread.ts'

/** The failing schedule, replayed; never throws. */
export function explain(scenario: Scenario, choices: readonly Choice[]): string {
  try {
    return replay(scenario, choices)
  } catch (error) {
    return `(no trace: ${error instanceof Error ? error.message : error})`
  }
}

export function replay(scenario: Scenario, choices: readonly Choice[]): string {
  const setting = scenario.set()
  machine.ownedWord = setting.ownedWord ?? (() => false)
  machine.traces = true
  machine.reset(setting.memory, setting.threads)
  const lines: string[] = []
  try {
    for (const choice of choices) {
      const thread = machine.threads[Number(choice.replace('x', ''))]
      if (thread === undefined) throw new Error(`no thread ${choice}`)
      if (choice.startsWith('x')) {
        machine.kill(thread)
        lines.push(`${thread.name.padEnd(10)} dies`)
        continue
      }
      lines.push(describe(thread, thread.pending))
      machine.step(thread)
      const result = thread.log.at(-1)
      lines[lines.length - 1] += ` -> ${result}`
      machine.untouched(() => setting.always?.(() => {}))
    }
  } catch (error) {
    lines.push(`!! ${error instanceof Error ? error.message : error}`)
  } finally {
    machine.traces = false
  }
  return lines.join('\n')
}

function describe(thread: SimThread, operation: Operation | undefined): string {
  if (operation === undefined) return `${thread.name.padEnd(10)} (ended)`
  const where = `${operation.verb} ${operation.wide ? 'long' : 'word'} ${operation.index}`
  return `${thread.name.padEnd(10)} ${where.padEnd(32)} ${tagOf(operation.stack ?? '').padEnd(20)}`
}

const sources = new Map<string, string[]>()

/** The nearest ATOMIC comment above the line, within its function; else the function's place. */
function tagOf(stack: string): string {
  const frame = /((?:src|test)\/[\w/.-]+\.ts):(\d+)/g
  for (const [, path = '', line = ''] of stack.matchAll(frame)) {
    if (/door|machine|replay|search|clock/.test(path)) continue
    const tag = tagAbove(path, Number(line))
    return tag ?? `${path.replace(/^.*\//, '')}:${line}`
  }
  return ''
}

function tagAbove(path: string, line: number): string | undefined {
  let lines = sources.get(path)
  if (lines === undefined) {
    lines = readFileSync(path, 'utf8').split('\n')
    sources.set(path, lines)
  }
  for (let at = line - 1; at >= 0; at--) {
    const tag = /\/\/ ATOMIC (\S+)/.exec(lines[at] ?? '')
    if (tag !== null) return tag[1]
    if (/^(?:export )?function |^ {2}(?:async )?#?\w+\(.*\{$/.test(lines[at] ?? ''))
      return undefined
  }
  return undefined
}
