/** Prometheus's own programs, where they are installed, and the files that they are to read. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'

const MONITORING = fileURLToPath(new URL('../../examples/monitoring/', import.meta.url))

export function readMonitoring(file: string): string {
  return readFileSync(`${MONITORING}${file}`, 'utf8')
}

/** Ends the test, saying why, where Debian's package `prometheus` is not installed. */
export function requireTool(tool: 'promtool' | 'prometheus', context: TestContext): void {
  if (spawnSync(tool, ['--version']).error === undefined) return
  const why = `${tool} is not installed (Debian: apt-get install prometheus): nothing was tested`
  process.stderr.write(`${context.task.name}: ${why}\n`)
  context.skip(why)
}

/** What promtool says; rejects, with all of it, when it is not content. */
export function promtool(args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile('promtool', args, { cwd: MONITORING }, (error, stdout, stderr) => {
      if (error === null) resolve(`${stdout}${stderr}`)
      else reject(new Error(`promtool ${args.join(' ')}: ${stdout}${stderr}`))
    })
    child.stdin?.end(input)
  })
}

interface Query {
  readonly expr?: string
  readonly query?: string | { readonly query: string }
  readonly definition?: string
}

interface Board {
  readonly panels: readonly {
    readonly id: number
    readonly type: string
    readonly title: string
    readonly targets?: readonly Query[]
  }[]
  readonly templating: { readonly list: readonly (Query & { readonly type: string })[] }
  readonly annotations: { readonly list: readonly Query[] }
}

export function readBoard(): Board {
  return JSON.parse(readMonitoring('grafana.json')) as Board
}

/** The expressions of the board, with values for the variables that Grafana puts in. */
export function boardExpressions(): string[] {
  const { panels, annotations } = readBoard()
  const queries = [...panels.flatMap(({ targets = [] }) => targets), ...annotations.list]
  return queries.map(({ expr = '' }) =>
    expr.replace(/\$__(rate_)?interval/g, '5m').replace(/\$(job|instance|breaker)/g, '.*'),
  )
}
