/** Regions in files: those that `registry.dump()` wrote, and core dumps that hold one somewhere. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { load, viewsOf } from '#atomics'
import { HEADER, HEADER_WORDS, LAYOUT_VERSION, MAGIC, MAX_THREADS } from '../memory/layout.ts'
import { geometryOf } from '../memory/region.ts'
import { regionShapeOf } from '../memory/region-shape.ts'

const HEADER_BYTES = HEADER_WORDS * 4
const MAX_BREAKERS = 65_536
const CHUNK_BYTES = 1 << 20
/** Regions start at multiples of this. */
const ALIGNMENT = 8

/** A file that cannot be printed. The message is one line for the user. */
export class UnreadableError extends Error {}

/** A place in a file where the magic word stands. */
export interface Candidate {
  readonly offset: number
  /** The bytes of the region that starts there, if one does. */
  readonly bytes: number | undefined
  /** Why there is none, or none that is whole. */
  readonly reason: string | undefined
}

/** A file, opened for as long as `use` takes. */
function withFile<T>(path: string, use: (descriptor: number, size: number) => T): T {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch (error) {
    throw new UnreadableError(textOf(error))
  }
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new UnreadableError(`${path} is not a file`)
    return use(descriptor, stats.size)
  } catch (error) {
    if (error instanceof UnreadableError) throw error
    throw new UnreadableError(textOf(error))
  } finally {
    closeSync(descriptor)
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Fills `bytes` from `offset` on, as far as the file goes; how many there were. */
function readAt(descriptor: number, bytes: Uint8Array, offset: number): number {
  let done = 0
  while (done < bytes.length) {
    const read = readSync(descriptor, bytes, done, bytes.length - done, offset + done)
    if (read === 0) break
    done += read
  }
  return done
}

/**
 * The region that stands in the file, at byte `offset` where one is given: then more may follow it,
 * else the file must end with it.
 *
 * @throws UnreadableError saying what the file is instead
 */
export function readRegion(path: string, offset?: number): SharedArrayBuffer {
  return withFile(path, (descriptor, size) => {
    const start = offset ?? 0
    const bytes = sizeAt(descriptor, start, size, path)
    if (offset === undefined && size > bytes) {
      throw new UnreadableError(
        `${path} has ${count(size)} bytes, the region at its start ${count(bytes)}: ` +
          'not what dump() wrote; --offset 0 prints the region all the same',
      )
    }
    const buffer = new SharedArrayBuffer(bytes)
    const read = readAt(descriptor, new Uint8Array(buffer), start)
    if (read < bytes) throw new UnreadableError(`${path} ended while it was read`)
    return buffer
  })
}

/** The bytes of the region at `start`. Throws UnreadableError when there is none, or not all. */
function sizeAt(descriptor: number, start: number, size: number, path: string): number {
  const left = Math.max(0, size - start)
  const place = start === 0 ? path : `${path} at byte ${count(start)}`
  if (left < HEADER_BYTES) {
    throw new UnreadableError(
      `${place} is not a region: ${count(left)} bytes are left, a header alone has ${HEADER_BYTES}`,
    )
  }
  const header = new SharedArrayBuffer(HEADER_BYTES)
  readAt(descriptor, new Uint8Array(header), start)
  const { bytes, reason } = judge(header, left)
  if (bytes !== undefined && reason === undefined) return bytes
  throw new UnreadableError(`${place} ${reason}`)
}

/** What the header says, held against the bytes that are there. */
function judge(
  header: SharedArrayBuffer,
  left: number,
): { bytes: number | undefined; reason: string | undefined } {
  const memory = viewsOf(header, HEADER_WORDS)
  const at = (word: number): number => load(memory, word)
  const no = (reason: string) => ({ bytes: undefined, reason })
  const magic = at(HEADER.MAGIC)
  if (swapped(magic) === MAGIC) return no('was written on a machine of the other byte order')
  if (magic !== MAGIC) {
    const start = `0x${(magic >>> 0).toString(16).padStart(8, '0')}`
    return no(
      `is not a region: it starts with ${start}, not 0x${MAGIC.toString(16)}; ` +
        '--find looks for regions further on',
    )
  }
  const version = at(HEADER.VERSION)
  if (version !== LAYOUT_VERSION) {
    return no(
      `is a region of layout version ${version}; this busbar-dump reads ${LAYOUT_VERSION}: ` +
        'take that of the busbar that wrote it',
    )
  }
  const geometry = geometryOf(memory)
  const { maxBreakers, maxThreads, arenaLines, maxControls, controlLines } = geometry
  const isSane =
    maxBreakers >= 1 &&
    maxBreakers <= MAX_BREAKERS &&
    maxThreads >= 1 &&
    maxThreads <= MAX_THREADS &&
    arenaLines >= 1 &&
    maxControls >= 1 &&
    maxControls <= MAX_BREAKERS &&
    controlLines >= 1
  const said =
    `${count(maxBreakers)} breakers, ${count(maxThreads)} threads and ${count(arenaLines)} ` +
    `lines, ${count(maxControls)} controls and ${count(controlLines)} lines of theirs`
  if (!isSane) return no(`has a damaged header: it says ${said}`)
  const bytes = regionShapeOf(geometry).words * 4
  if (bytes <= left) return { bytes, reason: undefined }
  const reason = `is cut short: ${said} need ${count(bytes)} bytes, it has ${count(left)}`
  return { bytes, reason }
}

function swapped(word: number): number {
  const ends = ((word & 0xff) << 24) | (word >>> 24)
  return ends | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00)
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** Every place in the file where the magic word stands at a multiple of 8 bytes. */
export function findRegions(path: string): Candidate[] {
  return withFile(path, (descriptor, size) => {
    const found: Candidate[] = []
    const chunk = new SharedArrayBuffer(CHUNK_BYTES)
    const memory = viewsOf(chunk, CHUNK_BYTES / 4)
    const header = new SharedArrayBuffer(HEADER_BYTES)
    for (let start = 0; start < size; start += CHUNK_BYTES) {
      const read = readAt(descriptor, new Uint8Array(chunk), start)
      for (let at = 0; at + ALIGNMENT <= read; at += ALIGNMENT) {
        if (load(memory, at / 4) !== MAGIC) continue
        const offset = start + at
        const there = readAt(descriptor, new Uint8Array(header), offset)
        const cut = { bytes: undefined, reason: 'is cut short' }
        found.push({ offset, ...(there < HEADER_BYTES ? cut : judge(header, size - offset)) })
      }
    }
    return found
  })
}
