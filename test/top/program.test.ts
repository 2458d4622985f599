/** `busbar top` as a program: against a live dashboard, in a pipe and in a terminal. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { dashboard } from '../../src/dashboard/dashboard.ts'
import type { Registry } from '../../src/index.ts'
import { call, QUICK, type Site, serve, serveRegistry, until } from '../dashboard/support.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/top/main.js', import.meta.url))
const SCRIPT = '/usr/bin/script'

let site: Site & { readonly registry: Registry }
const children: ChildProcess[] = []

beforeEach(async () => {
  site = await serveRegistry({ intervalMs: 250 })
  site.registry.breaker('payments', QUICK)
  site.registry.breaker('search', QUICK)
  call(site.registry, 'payments', 4, 4)
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await site.close()
})

interface Running {
  readonly child: ChildProcess
  readonly output: () => string
  readonly exit: Promise<{ code: number | null; stdout: string; stderr: string }>
}

function start(command: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(command, words, { env: { ...process.env, ...env } })
  children.push(child)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', bytes => {
    stdout += String(bytes)
  })
  child.stderr.on('data', bytes => {
    stderr += String(bytes)
  })
  const exit = new Promise<{ code: number | null; stdout: string; stderr: string }>(resolve => {
    child.on('close', code => resolve({ code, stdout, stderr }))
  })
  return { child, output: () => stdout, exit }
}

function run(...words: string[]) {
  return start(process.execPath, [PROGRAM, ...words]).exit
}

describe('without a terminal', () => {
  it('prints one table and ends', async () => {
    const { code, stdout, stderr } = await run('top', site.url)
    expect([code, stderr]).toEqual([0, ''])
    const [summary, , head, first, second] = stdout.split('\n')
    expect(summary).toContain('1 open, 1 closed')
    expect(head).toMatch(/^STATE +BREAKER/)
    expect(first).toMatch(/^open +payments .*failure rate, thread 0$/)
    expect(second).toMatch(/^closed +search/)
    expect(stdout).not.toContain('\x1b')
  })

  it('takes an address without a scheme, a slash, or with the stream itself', async () => {
    for (const address of [`127.0.0.1:${site.port}`, `${site.url}events`, `${site.url}below/it`]) {
      expect(await run('top', address)).toMatchObject({ code: 0, stderr: '' })
    }
  })

  it('ends when nobody reads any more', async () => {
    const { code } = await start('sh', [
      '-c',
      `"${process.execPath}" "${PROGRAM}" top --once ${site.url} | head -n 1`,
    ]).exit
    expect(code).toBe(0)
  })
})

describe('errors are one line that says what to do', () => {
  it.each([
    [[], 2, 'the command is "top"; got nothing (see busbar --help)'],
    [['tip', 'x'], 2, 'the command is "top"; got "tip"'],
    [['top'], 2, 'the address of a dashboard, please'],
    [['top', 'a', 'b'], 2, 'one address, please; got 2'],
    [['top', '--colour', 'x'], 2, "Unknown option '--colour' (see busbar --help)"],
    [['top', 'ftp://x'], 2, 'an address like http://localhost:3000/breakers/, please'],
    [['top', 'http://'], 2, 'an address like'],
  ] as const)('%j', async (words, exitCode, message) => {
    const { code, stdout, stderr } = await run(...words)
    expect(stderr).toContain(`busbar: ${message}`)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect([code, stdout]).toEqual([exitCode, ''])
  })

  it('nobody listens there', async () => {
    const port = await new Promise<number>(resolve => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
      })
    })
    const { code, stderr } = await run('top', `localhost:${port}`)
    expect(stderr).toBe(`busbar: http://localhost:${port}/ cannot be reached: ECONNREFUSED\n`)
    expect(code).toBe(1)
  })

  it('somebody else listens there', async () => {
    const answers = [
      [404, 'text/html', 'no'],
      [200, 'text/html', '<p>'],
      [200, 'text/event-stream', 'event: snapshot\ndata: {\n\n'],
    ] as const
    for (const [status, type, body] of answers) {
      const other = await serve((_, response) => {
        response.writeHead(status, { 'content-type': type }).end(body)
      })
      const { code, stderr } = await run('top', other.url)
      expect(stderr).toMatch(/^busbar: http:\S+ is not a busbar dashboard/)
      expect(code).toBe(1)
      await other.close()
    }
  })

  it('the dashboard says no, or is of another version', async () => {
    const closed = await serve((_, response) => response.writeHead(503).end('too many\x1b[2J\n'))
    const { stderr } = await run('top', closed.url)
    expect(stderr).toBe(`busbar: ${closed.url} answers 503: too many\\u{1b}[2J\n`)
    await closed.close()
    const newer = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('event: snapshot\ndata: {"version":2}\n\n')
    })
    expect((await run('top', newer.url)).stderr).toContain('speaks version 2, this is 1')
    await newer.close()
  })

  it('--help is none', async () => {
    const { code, stdout, stderr } = await run('--help')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^usage: busbar top/)
  })
})

describe('in a terminal', () => {
  /** The program in a terminal of 100 columns and 12 rows, which `script` makes. */
  function inTerminal(env: NodeJS.ProcessEnv = {}): Running | undefined {
    if (!existsSync(SCRIPT)) {
      console.log(`NOT TESTED: there is no ${SCRIPT}, which makes a terminal`)
      return undefined
    }
    const command = `stty cols 100 rows 12; "${process.execPath}" "${PROGRAM}" top ${site.url}`
    return start(SCRIPT, ['-qefc', command, '/dev/null'], env)
  }

  /** What the last drawing shows. */
  function drawn({ output }: Running): string {
    return output().split('\x1b[H').at(-1) ?? ''
  }

  it('follows the stream on a screen of its own, until q', async () => {
    const running = inTerminal({ NO_COLOR: '' })
    if (running === undefined) return
    await until(() => /open +payments/.test(drawn(running)), 'the table')
    expect(running.output()).toContain('\x1b[?1049h')
    expect(drawn(running)).toContain('\x1b[1;31mopen')
    call(site.registry, 'search', 4, 4)
    await until(() => /open +search/.test(drawn(running)), 'the second breaker')
    running.child.stdin?.write('q')
    const { code, stdout } = await running.exit
    expect(code).toBe(0)
    expect(stdout.endsWith('\x1b[?7h\x1b[?25h\x1b[?1049l')).toBe(true)
  })

  it('has no colours where NO_COLOR is set, scrolls, and ends by Ctrl-C', async () => {
    for (let each = 0; each < 40; each++) site.registry.breaker(`service-${each}`, QUICK)
    const running = inTerminal({ NO_COLOR: '1' })
    if (running === undefined) return
    await until(() => drawn(running).includes('more below'), 'the table')
    expect(drawn(running)).not.toContain('\x1b[1;31m')
    expect(drawn(running).split('\r\n')).toHaveLength(12)
    running.child.stdin?.write('\x1b[Bj')
    await until(() => drawn(running).includes('2 above'), 'two rows down')
    running.child.stdin?.write('\x1b[F')
    await until(() => drawn(running).includes('service-39'), 'the end')
    running.child.stdin?.write('\x03')
    expect((await running.exit).code).toBe(0)
  })

  it('connects again when the stream breaks', async () => {
    const running = inTerminal()
    if (running === undefined) return
    await until(() => drawn(running).includes('payments'), 'the table')
    const { port } = site
    await site.close()
    await until(() => drawn(running).includes('RECONNECTING'), 'the loss')
    site = await serveRegistry()
    const again = await serve(dashboard(site.registry, { intervalMs: 250 }), port)
    site.registry.breaker('another')
    await until(() => /closed +another/.test(drawn(running)), 'the new table')
    expect(drawn(running)).not.toContain('RECONNECTING')
    running.child.stdin?.write('q')
    expect((await running.exit).code).toBe(0)
    await again.close()
  })
})
