/** A Piscina task that makes guarded calls. */
import { attachRegistry } from 'busbar'
import { workerData as pooledData } from 'piscina'

const breaker = attachRegistry(pooledData.handle).breaker('b')

export async function work({ calls }) {
  for (let call = 0; call < calls; call++) await breaker.execute(() => call)
  return calls
}
