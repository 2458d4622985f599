/** The demo offers the dashboard, and its outage is seen there. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { listen, until } from './support.ts'

const MAIN = fileURLToPath(new URL('../../examples/gateway/main.mjs', import.meta.url))

it('`npm run demo -- --dashboard` shows the outage live, until Ctrl-C', async () => {
  const child = spawn(process.execPath, [MAIN, '--dashboard'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', bytes => {
    output += String(bytes)
  })
  const url = await until(() => output.match(/Dashboard: (\S+)/)?.[1], 'the address')
  const stream = await listen(url)
  const transition = await until(
    async () => {
      const told = await stream.next()
      const found = told?.event === 'frame' ? told.data.transitions : undefined
      return found?.find(({ to }) => to === 'open')
    },
    'the outage',
    20_000,
  )
  expect(transition.reason).toBe('failure rate')
  // Opened by a worker, seen from the main thread.
  expect(transition.thread).toBeGreaterThan(0)
  stream.end()
  child.kill('SIGINT')
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  expect([code, signal]).toEqual([null, 'SIGINT'])
})
