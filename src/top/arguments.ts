/** What was typed. */
import { parseArgs } from 'node:util'

export const HELP = `usage: busbar top [--once] <url>

Shows the circuit breakers of a running process in the terminal, trouble first. <url> is
the address of its dashboard: what \`dashboard(registry)\` of busbar/dashboard serves.

  --once   print one table and end; so it does where the output is no terminal
  --help   print this

Keys: q or Ctrl-C ends; arrows, Page Up, Page Down, Home and End scroll. Colours are left
out where NO_COLOR is set. Exit code: 0; 1 not reachable or no dashboard; 2 wrong arguments.
`

/** What a user can mend: one line, no stack. */
export class Complaint extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}

export interface Arguments {
  readonly help: boolean
  readonly once: boolean
  /** The dashboard's address, with a slash at its end. */
  readonly url: URL
}

const SEE_HELP = '(see busbar --help)'

/** @throws Complaint */
export function readArguments(words: readonly string[]): Arguments | 'help' {
  const { values, positionals } = parse(words)
  if (values.help) return 'help'
  const [command, address, ...more] = positionals
  if (command !== 'top') {
    const got = command === undefined ? 'nothing' : JSON.stringify(command)
    throw new Complaint(`the command is "top"; got ${got} ${SEE_HELP}`, 2)
  }
  if (address === undefined) {
    throw new Complaint(`the address of a dashboard, please ${SEE_HELP}`, 2)
  }
  if (more.length > 0) throw new Complaint(`one address, please; got ${more.length + 1}`, 2)
  return { help: false, once: values.once, url: readUrl(address) }
}

function parse(words: readonly string[]) {
  const options = {
    help: { type: 'boolean', short: 'h', default: false },
    once: { type: 'boolean', default: false },
  } as const
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true })
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : '').split(/\n|\. /)
    throw new Complaint(`${line} ${SEE_HELP}`, 2)
  }
}

/** `localhost:3000/breakers` will do. */
function readUrl(address: string): URL {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Complaint(
      `an address like http://localhost:3000/breakers/, please; got ${address}`,
      2,
    )
  }
  url.search = ''
  url.hash = ''
  url.pathname = url.pathname.replace(/\/(events)?$/, '').concat('/')
  return url
}
