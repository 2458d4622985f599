/** A recipe as a process of its own, and the dependency that its server calls, on loopback. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export interface Dependency {
  readonly url: string
  /** Requests so far. */
  calls: number
  answer(response: ServerResponse): void
}

export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export async function startDependency(): Promise<Dependency> {
  const server = createServer((_request, response) => {
    dependency.calls += 1
    dependency.answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const dependency: Dependency = {
    url: `http://127.0.0.1:${port}`,
    calls: 0,
    answer: response => json(response, 200, { items: 3 }),
  }
  return dependency
}

/** Runs a script with those variables; resolves with the first line that it prints. */
export async function firstLineOf(path: string, env: Record<string, string>): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [path], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  if (child.stdout === null) throw new Error(`${path} has no output`)
  const lines = createInterface(child.stdout)
  const nothing = ended.then(([code]) => Promise.reject(new Error(`${path} ended with ${code}`)))
  nothing.catch(() => {})
  const [line] = (await Promise.race([once(lines, 'line'), nothing])) as [string]
  return line
}
