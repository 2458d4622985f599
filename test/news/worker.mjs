/**
 * A thread of the tests of news, on the built package. It listens if it is told to, says so, and
 * does what it is asked by messages: { moves } makes transitions, { report } says what was heard.
 */
import { parentPort, threadId, workerData } from 'node:worker_threads'
import { attachRegistry } from 'busbar'

const { handle, listens } = workerData
const registry = attachRegistry(handle)
const heard = []

/** Commands that always begin a new state, of one breaker after the other. */
function move({ moves, breakers }) {
  for (let step = 0; step < moves; step++) {
    const breaker = registry.breaker(breakers[step % breakers.length])
    if (Math.floor(step / breakers.length) % 2 === 0) breaker.forceOpen({ reason: `${threadId}` })
    else breaker.reset()
  }
}

parentPort.on('message', message => {
  if (message.moves !== undefined) {
    move(message)
    parentPort.postMessage({ moved: true })
  } else if (message.die) {
    registry.breaker('b').forceOpen({ reason: 'last words' })
    process.exit()
  } else parentPort.postMessage({ heard })
})

if (listens) {
  registry.on('stateChange', change => {
    heard.push(change)
    if (workerData.tells) parentPort.postMessage({ change })
  })
  registry.on('gap', gap => heard.push(gap))
}
parentPort.postMessage({ ready: threadId })
