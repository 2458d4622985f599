/** 500 breakers at 60 updates a minute: no dropped frames, no growing memory. */
import type { Browser, CDPSession } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { launch, see } from './browser.ts'
import { call, QUICK, serveRegistry } from './support.ts'

const BREAKERS = 500
const WATCHED_MS = 10_000
/** Two frames in a row that are missing could be seen; machines that run tests have hiccups. */
const LONG_GAP_MS = 100
const MAX_LONG_GAPS = 5
const MAX_GROWTH_BYTES = 3_000_000

let browser: Browser | undefined
const running: NodeJS.Timeout[] = []

beforeAll(async () => {
  browser = await launch()
})

afterEach(() => {
  for (const timer of running.splice(0)) clearInterval(timer)
})

afterAll(() => browser?.close())

async function usedAfterCollection(session: CDPSession) {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  const numberOf = (name: string) =>
    metrics.find(metric => metric.name === name)?.value ?? Number.NaN
  return { heap: numberOf('JSHeapUsedSize'), nodes: numberOf('Nodes') }
}

/** Runs in the page: the gaps between animation frames while somebody scrolls. */
const watch = (ms: number): string => `new Promise(resolve => {
  const gaps = []
  let start, last
  requestAnimationFrame(function step(now) {
    start ??= now
    if (last !== undefined) gaps.push(now - last)
    last = now
    document.getElementById('breakers').scrollBy(0, 6)
    if (now - start < ${ms}) requestAnimationFrame(step)
    else resolve(gaps)
  })
})`

it('stays smooth and small', async () => {
  if (browser === undefined) return
  const site = await serveRegistry()
  const { registry } = site
  for (let each = 0; each < BREAKERS; each++) {
    registry.breaker(`service-${each}`, { ...QUICK, waitDurationInOpenStateMs: 1_500 })
  }
  let round = 0
  // Every breaker is called four times a second; every 50th fails now and then.
  running.push(
    setInterval(() => {
      round += 1
      for (let each = 0; each < BREAKERS; each++) {
        const isIll = each % 50 === 0 && round % 12 < 4
        call(registry, `service-${each}`, 1 + (each % 3), isIll ? 3 : 0)
      }
    }, 250),
  )
  const { page, faults, close } = await see(browser, site.url)
  await page.waitForSelector(`#rows tr:nth-child(${BREAKERS})`)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  await session.send('HeapProfiler.enable')
  const first = await usedAfterCollection(session)
  const gaps = await page.evaluate<number[]>(watch(WATCHED_MS))
  const last = await usedAfterCollection(session)
  const long = gaps.filter(gap => gap > LONG_GAP_MS)
  const sorted = [...gaps].sort((one, other) => one - other)
  console.log(
    `${gaps.length} animation frames in ${WATCHED_MS} ms, median ${sorted[gaps.length >> 1]} ms, ` +
      `p99 ${sorted[Math.floor(gaps.length * 0.99)]} ms, longest ${sorted.at(-1)} ms; heap ` +
      `${first.heap} then ${last.heap} bytes, ${first.nodes} then ${last.nodes} nodes`,
  )
  expect(long.length).toBeLessThanOrEqual(MAX_LONG_GAPS)
  expect(last.heap - first.heap).toBeLessThan(MAX_GROWTH_BYTES)
  expect(faults).toEqual([])
  await close()
  await site.close()
})
