// node examples/adapters/grpc.mjs (after npm run build)
//
// A client of a gRPC service with the breaker's interceptor. Mistakes of the caller change nothing;
// when the service is unavailable the breaker opens, and what it refuses does not reach the service.
import * as grpc from '@grpc/grpc-js'
import { createRegistry, isRefusal } from 'busbar'
import { breakerInterceptor } from 'busbar/grpc'

const CALLS = 20

const json = {
  requestSerialize: value => Buffer.from(JSON.stringify(value)),
  requestDeserialize: bytes => JSON.parse(bytes),
  responseSerialize: value => Buffer.from(JSON.stringify(value)),
  responseDeserialize: bytes => JSON.parse(bytes),
}
const definition = {
  look: { path: '/shop.Stock/Look', requestStream: false, responseStream: false, ...json },
}

let requests = 0
let code = grpc.status.OK
const server = new grpc.Server()
server.addService(definition, {
  look(_call, reply) {
    requests++
    if (code === grpc.status.OK) reply(null, { items: 3 })
    else reply({ code, details: 'no answer today' })
  },
})
const port = await new Promise((resolve, reject) => {
  server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
    error ? reject(error) : resolve(bound),
  )
})

const registry = createRegistry()
const StockClient = grpc.makeGenericClientConstructor(definition, 'Stock')
const client = new StockClient(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
  interceptors: [
    breakerInterceptor(registry, grpc, {
      max: 20,
      slidingWindow: { type: 'consecutive', failures: 5 },
    }),
  ],
})

function look() {
  return new Promise(resolve => {
    client.look({ sku: 'A-1' }, (error, value) => resolve(error ?? value))
  })
}

async function ask(answer) {
  code = grpc.status[answer]
  requests = 0
  let refused = 0
  for (let call = 0; call < CALLS; call++) {
    if (isRefusal((await look()).cause)) refused++
  }
  const { state } = registry.get('grpc:shop.Stock')
  console.log(`${answer}: ${CALLS} calls, ${requests} requests, ${refused} refused; ${state}`)
}

await ask('OK')
await ask('NOT_FOUND')
await ask('UNAVAILABLE')

client.close()
server.forceShutdown()
registry.close()
