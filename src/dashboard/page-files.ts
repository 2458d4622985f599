/** The page's files: read once, served as they are. */
import { readFileSync } from 'node:fs'

const HTML = 'text/html; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

const TYPES: Readonly<Record<string, string>> = {
  'page.html': HTML,
  'base.css': CSS,
  'figures.css': CSS,
  'head.css': CSS,
  'narrow.css': CSS,
  'rows.css': CSS,
  'threads.css': CSS,
  'timeline.css': CSS,
  'announce.js': SCRIPT,
  'elements.js': SCRIPT,
  'format.js': SCRIPT,
  'header.js': SCRIPT,
  'keys.js': SCRIPT,
  'list.js': SCRIPT,
  'main.js': SCRIPT,
  'meter.js': SCRIPT,
  'model.js': SCRIPT,
  'order.js': SCRIPT,
  'row.js': SCRIPT,
  'stream.js': SCRIPT,
  'strip.js': SCRIPT,
  'time.js': SCRIPT,
  'timeline.js': SCRIPT,
}

export interface PageFile {
  readonly type: string
  readonly body: Buffer
}

/** By the last part of their path; the page itself is ''. Throws where a file is not there. */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const folder = new URL('./page/', import.meta.url)
  return new Map(
    Object.entries(TYPES).map(([name, type]) => {
      return [name === 'page.html' ? '' : name, { type, body: read(new URL(name, folder)) }]
    }),
  )
}

function read(file: URL): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    const advice = 'a bundler has to keep busbar/dashboard and its page together, or leave it out'
    throw new Error(`the dashboard's page is not at ${file.href}: ${advice}`, { cause })
  }
}
