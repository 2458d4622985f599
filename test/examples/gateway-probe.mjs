// For gateway.test.ts: the gateway of the demo with requests one at a time or so many at once,
// instead of at a pace, so that what must come out can be stated in advance. Prints JSON.
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDependency } from '../../examples/gateway/dependency.mjs'
import { startGateway } from '../../examples/gateway/gateway.mjs'
import { run } from '../../examples/gateway/run.mjs'

const REFUSED = 503

const settings = {
  callTimeoutMs: 5000,
  windowMs: 60_000,
  minimumCalls: 20,
  failureRate: 0.5,
  waitMs: 60_000,
}

/** The status of one answer of the gateway. */
function request(url) {
  return new Promise((resolve, reject) => {
    get(url, response => response.resume().on('end', () => resolve(response.statusCode))).on(
      'error',
      reject,
    )
  })
}

async function withGateway(options, use) {
  const dependency = await startDependency()
  await dependency.enter('down', 'fail')
  const gateway = await startGateway({ ...options, dependencyUrl: dependency.url })
  try {
    return await use({ dependency, url: gateway.url })
  } finally {
    await gateway.stop()
    await dependency.stop()
  }
}

const probes = {
  /** A dependency that is dead from the start; ends after so many refusals in a row, or requests. */
  dead: ({ protection, workers, concurrency, refusals, requests }) =>
    withGateway({ protection, workers, settings }, async ({ dependency, url }) => {
      let refusedInARow = 0
      let left = requests
      async function ask() {
        while (left > 0 && refusedInARow < refusals) {
          left -= 1
          refusedInARow = (await request(url)) === REFUSED ? refusedInARow + 1 : 0
        }
      }
      await Promise.all(Array.from({ length: concurrency }, ask))
      return dependency.counts('down')
    }),

  /** Opens every breaker, lets the dependency recover and the wait pass, and asks again. */
  recover: ({ protection, workers, atomics }) => {
    const short = { ...settings, minimumCalls: 3, waitMs: 200 }
    return withGateway({ protection, workers, atomics, settings: short }, async gateway => {
      for (let i = 0; i < 3 * workers; i += 1) await request(gateway.url)
      const open = await request(gateway.url)
      await gateway.dependency.enter('back', 'answer')
      await sleep(400)
      const answers = []
      for (let i = 0; i < 2 * workers; i += 1) answers.push(await request(gateway.url))
      return { open, answers }
    })
  },

  /** What the server in front makes of a refusal in a worker, and what it shows of the breaker. */
  front: ({ workers }) => {
    const brief = { ...settings, minimumCalls: 3 }
    const options = { protection: 'busbar', workers, settings: brief }
    return withGateway(options, async ({ dependency, url }) => {
      for (let i = 0; i < brief.minimumCalls; i += 1) await request(url)
      const refusal = await fetch(url)
      return {
        name: `undici:${new URL(dependency.url).origin}`,
        status: refusal.status,
        retryAfter: Number(refusal.headers.get('retry-after')),
        body: await refusal.json(),
        health: await (await fetch(`${url}/health`)).json(),
        metrics: await (await fetch(`${url}/metrics`)).text(),
      }
    })
  },

  /** The demo's run in short. */
  run: ({ protection }) =>
    run(
      {
        ...settings,
        workers: 4,
        requestsPerSecond: 100,
        callTimeoutMs: 250,
        windowMs: 500,
        minimumCalls: 5,
        waitMs: 300,
        phases: [
          { name: 'healthy', behaviour: 'answer', durationMs: 300 },
          { name: 'slow', behaviour: 'slow', durationMs: 300 },
          { name: 'quiet', behaviour: 'answer', durationMs: 600, quiet: true },
          { name: 'down', behaviour: 'fail', durationMs: 700 },
          {
            name: 'back',
            behaviour: 'answer',
            durationMs: 900,
            msSinceTrial: 150,
            recovery: true,
          },
        ],
      },
      protection,
    ),
}

const [name, options] = process.argv.slice(2)
console.log(JSON.stringify(await probes[name](JSON.parse(options))))
