/** The page in a real browser. Where there is none these tests say so and pass. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dashboard } from '../../src/dashboard/dashboard.ts'
import type { Registry } from '../../src/index.ts'
import { launch, type Seen, see } from './browser.ts'
import { call, QUICK, type Site, serve, serveRegistry, until } from './support.ts'

let browser: Browser | undefined
let site: Site & { readonly registry: Registry }
let seen: Seen | undefined

beforeAll(async () => {
  browser = await launch()
})

afterAll(() => browser?.close())

beforeEach(async () => {
  site = await serveRegistry()
})

afterEach(async () => {
  await seen?.close()
  seen = undefined
  await site.close()
})

/** Runs `test` on the open page, where there is a browser; then nothing may have gone wrong. */
function onPage(test: (page: Page) => Promise<void>, options?: Parameters<typeof see>[2]) {
  return async () => {
    if (browser === undefined) return
    seen = await see(browser, site.url, options)
    await test(seen.page)
    expect(seen.faults).toEqual([])
  }
}

/** The text of a breaker's row, on one line, once the row is painted: until then it has none. */
async function rowText(page: Page, name: string): Promise<string> {
  const row = page.locator('#rows tr').filter({ has: page.getByText(name, { exact: true }) })
  const read = () => row.evaluate(element => String(Reflect.get(element, 'innerText')))
  const text = await until(async () => (await read()) || undefined, `the row of ${name}`)
  return text.replace(/\s+/g, ' ')
}

/** Of the rows that the filter shows, painted already or not: those have no innerText. */
async function names(page: Page): Promise<string[]> {
  return page.locator('#rows tr:not([hidden]) .name').allTextContents()
}

describe('states', () => {
  it(
    'opening, half-opening and closing are seen within a second, in words',
    onPage(async page => {
      const { registry } = site
      const breaker = registry.breaker('payments', { ...QUICK, waitDurationInOpenStateMs: 1 })
      await page.waitForSelector('#rows tr')
      const becomes = (state: string) =>
        page.waitForSelector(`#rows tr[data-state="${state}"]`, { timeout: 1_000 })

      call(registry, 'payments', 4, 4)
      await becomes('open')
      expect(await rowText(page, 'payments')).toMatch(
        /^open for 0 s payments .*failure rate, thread 0/,
      )
      expect(await page.title()).toBe('1 open · busbar')

      const permits = [breaker.tryAcquire(), breaker.tryAcquire()]
      await becomes('half-open')
      expect(await rowText(page, 'payments')).toContain('trials: 0 of 2 ok, 2 in flight')

      for (const permit of permits) breaker.recordSuccess(permit)
      await becomes('closed')
      expect(await page.title()).toBe('busbar')
      const told = await page.locator('#timeline li .to').allInnerTexts()
      expect(told).toEqual(['closed', 'half-open', 'open'])
      expect(await page.locator('#timeline').textContent()).toContain('4 of 4 calls failed (100 %)')
      await page.getByText('payments is closed: trials succeeded.').waitFor({ state: 'attached' })
    }),
  )

  it(
    'what is told in one place is told in the others: counts, waits, reasons',
    onPage(async page => {
      const { registry } = site
      registry.breaker('a', QUICK)
      registry.breaker('b', QUICK).forceOpen({ reason: 'moving house' })
      registry.breaker('c', QUICK).disable()
      registry.breaker('d', QUICK).metricsOnly()
      registry.breaker('e', { slidingWindow: { type: 'consecutive', failures: 4 } })
      call(registry, 'a', 4, 4)
      call(registry, 'e', 3, 3)
      await page.waitForSelector('#rows tr[data-state="open"]')
      expect(await names(page)).toEqual(['a', 'b', 'e', 'c', 'd'])
      expect(await rowText(page, 'a')).toMatch(/next trial in (1 min|59 s).* 100 % of 4 calls/)
      expect(await rowText(page, 'b')).toContain('until told otherwise moving house, thread 0')
      expect(await rowText(page, 'e')).toContain('3 of 4 in a row')
      const chips = await page.locator('#states button:visible').allInnerTexts()
      expect(chips.map(text => text.replace(/\s+/g, ' '))).toEqual([
        '1 open',
        '1 forced-open',
        '0 half-open',
        '1 closed',
        '1 metrics-only',
        '1 disabled',
      ])
    }),
  )

  it(
    'calls, refusals and durations are there as numbers and as pictures with a description',
    onPage(async page => {
      const { registry } = site
      registry.breaker('a', { ...QUICK, slowCallDurationThresholdMs: 15 })
      call(registry, 'a', 36, 0)
      call(registry, 'a', 4, 4)
      await page.waitForSelector('.spark[aria-label*="succeeded"]')
      const text = await rowText(page, 'a')
      expect(text).toMatch(/10 % limit 50 % 10 % limit 100 %/)
      expect(await page.locator('.strip').getAttribute('aria-label')).toBe(
        '1 thread; thread 0: 100 % of the calls',
      )
      expect(await page.locator('.spark .failed').getAttribute('d')).not.toBe('')
    }),
  )
})

it('threads that are silent or dead are named so', async () => {
  if (browser === undefined) return
  const { registry } = site
  registry.breaker('a', QUICK)
  const slots = (['live', 'silent', 'dead'] as const).map((state, at) => {
    return { slot: at + 1, thread: at, state }
  })
  const own = await serve(
    dashboard({
      snapshot: () => ({ ...registry.snapshot(), slots }),
      history: () => registry.history(),
      get: name => registry.get(name),
    }),
  )
  seen = await see(browser, own.url)
  call(registry, 'a', 10, 0)
  const strip = seen.page.locator('.strip')
  await until(async () => (await strip.getAttribute('aria-label'))?.includes('100 %'), 'the calls')
  expect(await strip.getAttribute('aria-label')).toBe(
    '3 threads; thread 0: 100 % of the calls; ' +
      'thread 1: no calls of late, silent: blocked or idle; thread 2: no calls of late, dead',
  )
  expect(await seen.page.locator('#facts').textContent()).toContain('1 silent, 1 dead')
  await own.close()
})

describe('names', () => {
  const HOSTILE = '<img src=x onerror="window.hacked = 1">'

  it(
    'are text whatever they are, and so are reasons',
    onPage(async page => {
      const odd = [
        HOSTILE,
        '"]\\\n\u202e<!--',
        '__proto__',
        'constructor',
        'ünï 電気 🔌',
        'a'.repeat(120),
      ]
      for (const name of odd) site.registry.breaker(name, QUICK).forceOpen({ reason: HOSTILE })
      await page.waitForSelector(`#timeline li:nth-child(${odd.length})`)
      const shown = await page
        .locator('#rows .name')
        .evaluateAll(all => all.map(e => e.textContent))
      expect(shown.sort()).toEqual([...odd].sort())
      expect(await page.locator('#rows img, #timeline img, #announcer img').count()).toBe(0)
      expect(await page.evaluate('window.hacked')).toBeUndefined()
    }),
  )
})

describe('filter and keyboard', () => {
  beforeEach(() => {
    for (const name of ['payments.charge', 'payments.refund', 'search']) {
      site.registry.breaker(name, QUICK)
    }
    call(site.registry, 'search', 4, 4)
  })

  it(
    'a slash leads to the filter, arrows from row to row, Escape shows everything again',
    onPage(async page => {
      await page.keyboard.press('/')
      await page.keyboard.type('PAY ref')
      expect(await names(page)).toEqual(['payments.refund'])
      expect(await page.locator('#timeline li').count()).toBe(0)
      await page.keyboard.press('Escape')
      expect(await names(page)).toEqual(['search', 'payments.charge', 'payments.refund'])
      expect(await page.locator('#timeline li').count()).toBe(1)

      const focused = () => page.locator('tr:focus .name').textContent()
      await page.keyboard.press('ArrowDown')
      expect(await focused()).toBe('search')
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      expect(await focused()).toBe('payments.refund')
      await page.keyboard.press('Home')
      expect(await focused()).toBe('search')
      // The row moves, the focus stays with it.
      site.registry.breaker('search').reset()
      await until(async () => (await names(page)).at(-1) === 'search', 'search to be well again')
      expect(await focused()).toBe('search')
      await page.keyboard.press('t')
      expect(await page.locator('h2:focus').textContent()).toBe('What happened')
    }),
  )

  it(
    'the states at the top are switches',
    onPage(async page => {
      const open = page.getByRole('button', { name: '1 open' })
      await open.click()
      expect(await open.getAttribute('aria-pressed')).toBe('true')
      expect(await names(page)).toEqual(['search'])
      await open.click()
      expect(await names(page)).toHaveLength(3)
      await page.fill('#filter', 'no such breaker')
      expect(await page.locator('#empty').textContent()).toBe('none of 3 breakers is so')
    }),
  )

  it(
    'screen readers get a table with heads, states in words and described pictures',
    onPage(async page => {
      const heads = await page.getByRole('columnheader').allInnerTexts()
      expect(heads.slice(0, 3)).toEqual(['state', 'breaker', 'failure rate'])
      const row = page.getByRole('row').filter({ hasText: 'search' })
      expect(await row.getByRole('rowheader').textContent()).toMatch(/^search/)
      expect(await row.getByRole('cell').first().textContent()).toMatch(/^open/)
      for (const picture of await page.locator('#rows [role="img"]').all()) {
        expect(await picture.getAttribute('aria-label')).toBeTruthy()
      }
    }),
  )
})

describe('the connection', () => {
  it('that is lost is said to be, and comes back by itself', async () => {
    if (browser === undefined) return
    seen = await see(browser, site.url)
    const link = seen.page.locator('#link')
    expect(await link.textContent()).toBe('live')
    await site.close()
    await until(async () => (await link.textContent())?.includes('reconnecting'), 'the loss')
    const again = await serveRegistry()
    const { port } = site
    await again.close()
    site = { ...(await serveRegistry()), port }
    const own = await serve(dashboard(site.registry), port)
    site.registry.breaker('new')
    await until(async () => (await link.textContent()) === 'live', 'the connection')
    expect(await names(seen.page)).toEqual(['new'])
    await own.close()
  })

  it('to a closed registry says what the matter is', async () => {
    if (browser === undefined) return
    seen = await see(browser, site.url)
    site.registry.close()
    const link = seen.page.locator('#link')
    await until(async () => (await link.textContent())?.includes('was closed'), 'the end')
  })
})
