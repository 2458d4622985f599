/**
 * A process of its own that makes a region of so many breakers, uses each once, and prints what that
 * took, as JSON: `node region-memory.mjs <breakers>`.
 *
 * `written`: bytes of the 4 KiB pages that hold anything but zeroes. `resident`: what the system says
 * of the buffer's own mapping, Linux only, and only where the buffer is large enough to have one.
 */
import { readFileSync } from 'node:fs'
import { registryWith } from '../lib/registry.mjs'

const PAGE_BYTES = 4096
const KIB = 1024
const SMAPS = '/proc/self/smaps'

/** The process's mappings: their sizes and resident parts, in bytes, by their place. */
function mappings() {
  const found = new Map()
  if (process.platform !== 'linux') return found
  let current
  for (const line of readFileSync(SMAPS, 'latin1').split('\n')) {
    const place = /^[0-9a-f]+-[0-9a-f]+ /.exec(line)
    if (place !== null) {
      current = { bytes: 0, resident: 0 }
      found.set(place[0], current)
    }
    const amount = /^(Size|Rss): +(\d+) kB/.exec(line)
    if (amount === null) continue
    current[amount[1] === 'Size' ? 'bytes' : 'resident'] = Number(amount[2]) * KIB
  }
  return found
}

/** The place of the mapping that has come with the buffer and has little more than its size. */
function placeOfBuffer(before, bytes) {
  const isOfBuffer = ([place, mapping]) =>
    !before.has(place) && mapping.bytes >= bytes && mapping.bytes <= bytes + 2 * PAGE_BYTES
  return [...mappings()].find(isOfBuffer)?.[0]
}

function writtenBytes(buffer) {
  const bytes = new Uint8Array(buffer)
  const zeroes = Buffer.alloc(PAGE_BYTES)
  let written = 0
  for (let at = 0; at < bytes.length; at += PAGE_BYTES) {
    const page = bytes.subarray(at, at + PAGE_BYTES)
    if (Buffer.compare(page, zeroes.subarray(0, page.length)) !== 0) written += PAGE_BYTES
  }
  return written
}

const breakers = Number(process.argv[2])
const before = mappings()
const registry = await registryWith(false, { maxBreakers: breakers })
const { buffer } = registry.handle
const place = placeOfBuffer(before, buffer.byteLength)
const resident = () => (place === undefined ? undefined : mappings().get(place)?.resident)

const names = Array.from({ length: breakers }, (_, index) => `breaker-${index}`)
for (const name of names) registry.breaker(name)
const made = { resident: resident(), written: writtenBytes(buffer) }
for (const name of names) {
  const breaker = registry.breaker(name)
  breaker.recordSuccess(breaker.tryAcquire())
}
const used = { resident: resident(), written: writtenBytes(buffer) }
registry.close()
process.stdout.write(JSON.stringify({ reserved: buffer.byteLength, made, used }))
