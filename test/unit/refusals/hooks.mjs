/**
 * `node hooks.mjs <tool>`: is refused, then begins to watch async contexts, as a tracer does that is
 * loaded late, and is refused again by the promise of before.
 */
import { AsyncLocalStorage, createHook, executionAsyncResource } from 'node:async_hooks'
import { createRegistry } from 'busbar'

const breaker = createRegistry({ clock: 'manual' }).breaker('b')
breaker.forceOpen()
let refusals = 0

async function refuse() {
  try {
    await breaker.execute(() => 'value')
  } catch ({ code }) {
    if (code === 'ERR_CIRCUIT_OPEN') refusals++
  }
  await breaker.execute(() => 'value').catch(() => {})
}

function nothing() {}

const tools = {
  AsyncLocalStorage: () => new AsyncLocalStorage().run('context', refuse),
  createHook() {
    const hooks = { init: nothing, before: nothing, after: nothing, destroy: nothing }
    createHook({ ...hooks, promiseResolve: nothing }).enable()
    return refuse()
  },
  executionAsyncResource() {
    const mark = Symbol('mark')
    const init = (_id, _type, _trigger, resource) => {
      resource[mark] = executionAsyncResource()[mark]
    }
    createHook({ init }).enable()
    return refuse()
  },
}

await refuse()
await refuse()
await tools[process.argv[2]]()
console.log(`refused ${refusals} times`)
