// TP-02: a call that never settles, with nothing pending but its own time-out.
import { createRegistry } from 'busbar'

const breaker = createRegistry().breaker('b', { slidingWindow: { type: 'count', size: 10 } })
const startedAt = performance.now()
breaker
  .execute(() => new Promise(() => {}), { timeoutMs: 300 })
  .catch(error => console.log(error.code, Math.ceil(performance.now() - startedAt)))
