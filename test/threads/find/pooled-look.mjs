/** The same as a Piscina task. */
import { getRegistry } from 'busbar'

export async function look() {
  const registry = getRegistry()
  const breaker = registry.get('b')
  const { reason } = await breaker.execute(() => {}).catch(error => error)
  return { seen: breaker.state, names: registry.names(), reason }
}
