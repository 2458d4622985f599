/**
 * What Next does with the recipe: calls `register`, then makes calls through a fetch of its own
 * around Node's. Says how each of so many calls of process.env.STOCK_URL ended.
 */
import { register } from '../../../examples/recipes/next/instrumentation.js'

await register()

const nodes = globalThis.fetch
// Next's wraps it likewise, has options of its own, and may make a Request of what it is given.
globalThis.fetch = (input, { next: _, ...init } = {}) => nodes(new Request(input, init))

const ends = []
for (let call = 0; call < Number(process.env.CALLS); call += 1) {
  try {
    const answer = await fetch(process.env.STOCK_URL, { next: { revalidate: 60 } })
    ends.push(answer.status)
    await answer.body.cancel()
  } catch (error) {
    ends.push(error.cause?.code ?? String(error))
  }
}
console.log(JSON.stringify(ends))
