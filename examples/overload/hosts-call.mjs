// How a thread calls one of five hosts. Everything that differs between the runs is here.
import { getRegistry, isRefusal } from 'busbar'

const breakerOf = failureRateThreshold => ({
  failureRateThreshold,
  minimumNumberOfCalls: 50,
  waitDurationInOpenStateMs: 500,
})

const anyOf = hosts => hosts[Math.floor(Math.random() * hosts.length)]

/** Each takes the hosts' URLs and gives a function that makes one call. */
export const policies = {
  'no protection': hosts => () => get(anyOf(hosts)),

  'one breaker, opens at 50%': hosts => oneBreaker(hosts, 'at 50%', 0.5),
  'one breaker, opens at 15%': hosts => oneBreaker(hosts, 'at 15%', 0.15),

  'a host group': hosts => {
    const group = getRegistry().hosts('hosts', { baseEjectionMs: 1000 })
    return async () => {
      const host = group.pick(hosts)
      try {
        await get(host)
        group.record(host, 'success')
      } catch (error) {
        group.record(host, 'failure')
        throw error
      }
    }
  },
}

function oneBreaker(hosts, name, failureRateThreshold) {
  const breaker = getRegistry().breaker(name, breakerOf(failureRateThreshold))
  return () => breaker.execute(() => get(anyOf(hosts)))
}

async function get(url) {
  const response = await fetch(url)
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
}

/** 'served', 'failed' or 'refused'. */
export async function outcomeOf(call) {
  try {
    await call()
    return 'served'
  } catch (error) {
    return isRefusal(error) ? 'refused' : 'failed'
  }
}
