/**
 * Who this thread is, and what all copies of this package in it share.
 *
 * A thread cannot ask Node who started it. So each thread that uses busbar leaves its number in the
 * environment data that the threads it starts inherit.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId } from 'node:worker_threads'
import type { Kernel } from '../kernel/kernel.ts'
import { LAYOUT_VERSION } from '../memory/layout.ts'
import type { ThreadId } from '../memory/words/threads.ts'
import type { Bulletin } from '../news/bulletin.ts'

/** A thread's membership in a region, shared by all its registries of that region. */
export interface Membership {
  slot: number
  users: number
  /** With `kernel: 'wasm'`, in a slot of its own: this thread's instance. */
  readonly kernel: Kernel | undefined
  readonly bulletin: Bulletin
  readonly stopBeating: () => void
}

interface ThreadState {
  readonly id: ThreadId
  readonly memberships: Map<string, Membership>
}

const STATE = Symbol.for(`busbar.thread.${LAYOUT_VERSION}`)
const PARENT_KEY = 'busbar.parent'

/** One for all copies of the package in this thread: they share its slots. */
export function threadState(): ThreadState {
  const found = (globalThis as { [STATE]?: ThreadState })[STATE]
  if (found !== undefined) return found
  const parent = isMainThread ? 0 : getEnvironmentData(PARENT_KEY)
  const made: ThreadState = {
    id: { thread: threadId, parent: typeof parent === 'number' ? parent : 0 },
    memberships: new Map(),
  }
  setEnvironmentData(PARENT_KEY, threadId)
  Object.defineProperty(globalThis, STATE, { value: made })
  return made
}
