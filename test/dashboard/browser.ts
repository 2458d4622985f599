/** Chromium, where there is one: Debian's. */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const PATH = '/usr/bin/chromium'

export function launch(): Promise<Browser> | undefined {
  if (existsSync(PATH)) return chromium.launch({ executablePath: PATH, args: ['--no-sandbox'] })
  console.log(`NOT TESTED: there is no ${PATH}; the page has not been seen in a browser`)
  return undefined
}

export interface Seen {
  readonly page: Page
  /** Errors of the page and of its console. */
  readonly faults: readonly string[]
  close(): Promise<void>
}

/** Opens the page and waits for the first snapshot. */
export async function see(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 820 }, ...options })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', error => faults.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text())
  })
  await page.goto(url)
  await page.waitForSelector('body[data-ready]')
  return { page, faults, close: () => context.close() }
}
