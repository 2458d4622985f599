/** Calls while subscribers throw, and prints what came of the calls and of the errors. */
import { subscribe } from 'node:diagnostics_channel'
import { createRegistry } from 'busbar'

const CHANNELS = ['busbar:refused', 'tracing:busbar:execute:start', 'tracing:busbar:execute:end']

const raised = []
process.on('uncaughtException', error => raised.push(error.message))
const heard = []
for (const name of CHANNELS) {
  subscribe(name, () => {
    throw new Error(`from ${name}`)
  })
  subscribe(name, () => heard.push(name))
}

const breaker = createRegistry({ clock: 'manual' }).breaker('b')
const value = await breaker.execute(async () => 'value')
const sync = breaker.executeSync(() => 'value')
breaker.open()
const { refused } = await breaker.tryExecute(() => 'value')
await new Promise(resolve => setImmediate(resolve))
const { succeeded, inFlight } = breaker.snapshot().totals
console.log(JSON.stringify({ value, sync, refused, succeeded, inFlight, heard, raised }))
