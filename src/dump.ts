/**
 * Writes the bytes of a region to a file, for `busbar-dump` or a debugger to read. Loads alone: it
 * neither waits for another thread nor is seen by one.
 *
 * 1. Every long is read whole, so no word in the file is half of one value and half of another.
 * 2. Words are read one after the other, so two of them may be of different moments.
 * 3. The file gets its name when it is whole and closed; until then it has another one beside it.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { copyOut } from '#atomics'
import { InvalidOptionError } from './errors.ts'
import type { Memory } from './memory/atomics.ts'

/** One write each: few enough calls, and a small copy. */
const CHUNK_BYTES = 65_536

/** Reasons and names may be nobody else's business. */
const OWNER_ONLY = 0o600

export function dumpMemory(memory: Memory, path: string | URL): void {
  const file = pathOf(path)
  const unfinished = `${file}.${randomUUID()}.tmp`
  const descriptor = openSync(unfinished, 'wx', OWNER_ONLY)
  try {
    try {
      writeAll(memory, descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}

function pathOf(path: unknown): string {
  if (typeof path === 'string' && path.length > 0) return path
  if (path instanceof URL && path.protocol === 'file:') return fileURLToPath(path)
  const given = path instanceof URL ? path.href : path
  throw new InvalidOptionError('dump(path)', given, 'a non-empty string or a file: URL')
}

function writeAll(memory: Memory, descriptor: number): void {
  const chunk = new Uint8Array(CHUNK_BYTES)
  for (let at = 0; at < memory.byteLength; at += CHUNK_BYTES) {
    const bytes = chunk.subarray(0, memory.byteLength - at)
    copyOut(memory, at / 8, bytes)
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(descriptor, bytes, done, bytes.length - done)
    }
  }
}
