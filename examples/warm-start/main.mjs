// node examples/warm-start/main.mjs
//
// A service is started three times, as by three deploys in a row, while its dependency is dead. A
// process that starts cold knows nothing and finds out again; one that starts from what the last
// process exported does not send a single call.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const DEPLOYS = 3
const SERVICE = fileURLToPath(new URL('service.mjs', import.meta.url))

let requests = 0
const dependency = createServer((_request, response) => {
  requests += 1
  response.writeHead(503).end()
})
dependency.listen(0, '127.0.0.1')
await once(dependency, 'listening')
const { port } = dependency.address()

/** The requests that one life of the service sent. */
async function live(...args) {
  const before = requests
  const { stderr } = await promisify(execFile)(process.execPath, [SERVICE, `${port}`, ...args])
  process.stderr.write(stderr)
  return requests - before
}

async function deploy(...args) {
  const sent = []
  for (let life = 0; life < DEPLOYS; life++) sent.push(await live(...args))
  return sent
}

const folder = mkdtempSync(join(tmpdir(), 'busbar-warm-start-'))
try {
  console.log('Requests that reached a dead dependency (the breaker opens after 5 in a row):\n')
  const columns = Array.from({ length: DEPLOYS }, (_, life) => `start ${life + 1}`)
  console.log(`| ${['each process'.padEnd(19), ...columns].join(' | ')} |`)
  for (const [policy, ...args] of [['starts cold'], ['starts from a file', join(folder, 'kept')]]) {
    const cells = (await deploy(...args)).map(sent => `${sent}`.padStart(7))
    console.log(`| ${[policy.padEnd(19), ...cells].join(' | ')} |`)
  }
} finally {
  rmSync(folder, { recursive: true })
  dependency.close()
  dependency.closeAllConnections()
}
