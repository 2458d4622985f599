// The tasks of piscina.mjs.
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import { poolRegistry } from 'busbar/piscina'

const payments = poolRegistry().breaker('payments')

async function unreachable() {
  await sleep(5)
  throw new Error('503 from the payment service')
}

export async function charge() {
  return (await payments.tryExecute(unreachable)).ok
}

export async function hang() {
  return payments.execute(() => {
    parentPort.postMessage('under way')
    return sleep(60_000)
  })
}
