/** The page in all its shapes, in a real browser; pictures of it are left in a temporary folder. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { launch, see } from './browser.ts'
import { call, QUICK, serveRegistry } from './support.ts'

let browser: Browser | undefined

beforeAll(async () => {
  browser = await launch()
})

afterAll(() => browser?.close())

describe('shapes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'busbar-dashboard-'))
  const shapes = [
    ['light', { colorScheme: 'light' }, 12],
    ['dark', { colorScheme: 'dark' }, 12],
    ['one', { colorScheme: 'light' }, 1],
    ['wide', { viewport: { width: 1920, height: 1000 } }, 40],
    ['tablet', { viewport: { width: 800, height: 1000 } }, 12],
    ['phone', { viewport: { width: 360, height: 780 }, isMobile: true, hasTouch: true }, 12],
    ['forced-colors', { forcedColors: 'active', reducedMotion: 'reduce' }, 12],
  ] as const

  it.each(shapes)('%s: nothing sticks out, and here is a picture', async (name, options, count) => {
    if (browser === undefined) return
    const { registry, url, close } = await serveRegistry()
    onTestFinished(close)
    for (let each = 0; each < count; each++) {
      registry.breaker(`service-${each}.with-a-rather-long-name`, QUICK)
      call(registry, `service-${each}.with-a-rather-long-name`, 20, each % 5 === 0 ? 12 : 0)
    }
    const seen = await see(browser, url, options)
    onTestFinished(seen.close)
    await seen.page.waitForSelector(`#rows tr:nth-child(${count})`)
    for (const part of ['html', '.breakers']) {
      const over = await seen.page.locator(part).evaluate(e => e.scrollWidth - e.clientWidth)
      expect(over).toBeLessThanOrEqual(0)
    }
    await seen.page.screenshot({ path: join(folder, `${name}.png`) })
    console.log(`${folder}/${name}.png`)
    expect(seen.faults).toEqual([])
  })
})
