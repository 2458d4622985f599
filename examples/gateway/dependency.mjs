// Starts the dependency in a child process and gives the demo its remote control.
import { fork } from 'node:child_process'
import { once } from 'node:events'

/** @typedef {'answer' | 'fail' | 'hang' | 'slow'} Behaviour */
/** @typedef {{ calls: number, trials: number }} Counts */

export async function startDependency() {
  const child = fork(new URL('./dependency-server.mjs', import.meta.url), {
    serialization: 'advanced', // JSON has no Infinity
  })
  const [{ port }] = await once(child, 'message')
  const waiting = new Map()
  let lastId = 0
  child.on('message', ({ id, result }) => {
    waiting.get(id)(result)
    waiting.delete(id)
  })

  function ask(command, details) {
    lastId += 1
    child.send({ id: lastId, command, ...details })
    return new Promise(resolve => waiting.set(lastId, resolve))
  }

  return {
    url: `http://127.0.0.1:${port}/`,
    /**
     * Changes the behaviour and counts from here on under the phase's name.
     * @type {(phase: string, behaviour: Behaviour) => Promise<{ atMs: number }>}
     */
    enter: (phase, behaviour) => ask('enter', { phase, behaviour }),
    /** @type {(phase: string) => Promise<Counts>} */
    counts: phase => ask('counts', { phase }),
    /** Infinity when there was none. @type {() => Promise<number>} */
    msSinceTrial: () => ask('msSinceTrial'),
    async stop() {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
