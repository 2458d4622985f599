/** A process that listens and has nothing else to do: it ends by itself. */
import { Worker } from 'node:worker_threads'
import { getRegistry } from 'busbar'

const registry = getRegistry()
registry.on('stateChange', ({ to }) => console.log(to))
const worker = new Worker(
  `const { getRegistry } = await import('busbar')
   getRegistry().on('stateChange', () => {})
   getRegistry().breaker('b').disable()`,
  { eval: true },
)
worker.once('exit', () => registry.breaker('b').reset())
