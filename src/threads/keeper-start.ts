/** Starts and ends a region's keeper. The main thread does: a worker may end before the others. */
import { Worker } from 'node:worker_threads'
import { notify, store } from '#atomics'
import type { Memory } from '../memory/atomics.ts'
import { HEADER } from '../memory/layout.ts'
import type { Region } from '../memory/region.ts'
import { ASLEEP, NO_KEEPER } from '../memory/words/tick.ts'

/** The built file, also when this one runs from its source: a worker's entry must be JavaScript. */
const ENTRY = new URL('../../dist/threads/keeper.js', import.meta.url)

/** Starts the keeper. It keeps no process alive, and its death does no harm. */
export function startKeeper({ memory, handle }: Region): void {
  // ATOMIC keeper.start
  //   publishes: a keeper that is asleep; it can be woken before it has started.
  store(memory, HEADER.TICK, ASLEEP)
  const giveUp = (error: Error): void => {
    stopKeeper(memory)
    process.emitWarning(`busbar: no keeper, every thread reads its own clock: ${error.message}`)
  }
  try {
    const worker = new Worker(ENTRY, {
      workerData: handle,
      name: 'busbar-keeper',
      // None of the loaders and preloaded modules that the process runs with.
      execArgv: [],
      env: {},
      trackUnmanagedFds: false,
    })
    worker.unref()
    worker.once('error', giveUp)
    worker.once('exit', () => stopKeeper(memory))
  } catch (error) {
    giveUp(error as Error)
  }
}

/** Ends the keeper, if there is one, for good. */
export function stopKeeper(memory: Memory): void {
  // ATOMIC keeper.stop
  //   publishes: that there is no keeper; one that lives ends at its next look.
  store(memory, HEADER.TICK, NO_KEEPER)
  notify(memory, HEADER.TICK)
}
