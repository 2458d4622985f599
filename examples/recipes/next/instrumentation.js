// Next: `instrumentation.js` of an application (beside its next.config, or in src/), of which Next
// calls `register` once, before the server takes requests. In next.config:
// `serverExternalPackages: ['busbar', 'undici']`, so that neither is bundled.
//
// Puts a breaker for each origin under every fetch that the server makes, Next's own patched one
// included: that ends in Node's, which asks undici's global dispatcher. What Next answers from its
// cache asks no breaker. A refused fetch rejects with a TypeError; the refusal is its `cause`.
export async function register() {
  // Next builds this for its edge runtime too, and there leaves out what stands in this branch.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { getRegistry } = await import('busbar')
    const { breakerInterceptor } = await import('busbar/undici')
    const { Agent, setGlobalDispatcher } = await import('undici')
    const breakers = breakerInterceptor(getRegistry(), {
      max: 100,
      overflow: 'shared',
      slidingWindow: { type: 'consecutive', failures: 5 },
    })
    setGlobalDispatcher(new Agent().compose(breakers))
  }
}
