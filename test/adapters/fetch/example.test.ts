import { expect, it } from 'vitest'
import { runScript } from '../../examples/run-example.ts'

it('the example: a dead host gets a few requests, a healthy one all', async () => {
  const output = await runScript('examples/adapters/fetch.mjs')
  const lines = [...output.matchAll(/^(.+) host: (\d+) requests; .* (\d+) refusals$/gm)]
  const [healthy, failing, guardedHealthy, guardedFailing] = lines.map(
    ([, name, requests, refusals]) => ({
      name,
      total: Number(requests) + Number(refusals),
      requests,
    }),
  )
  expect(healthy).toEqual({ name: 'plain fetch, healthy', total: 300, requests: '300' })
  expect(failing).toEqual({ name: 'plain fetch, failing', total: 300, requests: '300' })
  expect(guardedHealthy).toEqual({ name: 'guarded fetch, healthy', total: 300, requests: '300' })
  expect(guardedFailing).toMatchObject({ name: 'guarded fetch, failing', total: 300 })
  // 20 calls are judged; 9 more may have been in flight by then.
  expect(Number(guardedFailing?.requests)).toBeLessThan(30)
  expect(output).toMatch(/ is open\n$/)
})
