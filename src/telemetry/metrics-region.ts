/** The series of the region itself: is there room, and is anything wrong with it? */
import type { KeeperState } from '../memory/words/tick.ts'
import type { RegistrySnapshot } from '../registry-snapshot.ts'
import { type Metric, metric, ofRegion, oneOf, single } from './metrics.ts'

const KEEPER_STATES: readonly KeeperState[] = ['none', 'asleep', 'awake']

export const REGION_METRICS: readonly Metric[] = [
  metric(
    'gauge',
    'circuit_breaker_region_slots_used',
    'Slots that are taken: threads that use the region and are not known to have ended.',
    ofRegion(region => single(region.slots.length)),
  ),
  metric(
    'gauge',
    'circuit_breaker_region_slots_limit',
    'Slots that there are (maxThreads); further threads share one: slower, still right.',
    ofRegion(region => single(region.maxThreads)),
  ),
  metric(
    'counter',
    'circuit_breaker_region_threads_without_slot_total',
    'Threads that found no free slot.',
    ofRegion(region => single(region.threadsWithoutSlot)),
  ),
  metric(
    'gauge',
    'circuit_breaker_region_dead_threads',
    'Slots of threads that are known to have ended, not yet freed.',
    ofRegion(region => single(slotsThatAre('dead', region))),
  ),
  metric(
    'gauge',
    'circuit_breaker_region_silent_threads',
    'Slots of threads whose event loop has not turned for 3 seconds: blocked, or idle in a pool.',
    ofRegion(region => single(slotsThatAre('silent', region))),
  ),
  metric(
    'gauge',
    'circuit_breaker_region_keeper_state',
    'Whether the keeper is in this state: 1 or 0. It sleeps while there are no calls.',
    ofRegion(region => oneOf('state', KEEPER_STATES, region.keeper)),
  ),
  metric(
    'counter',
    'circuit_breaker_region_damaged_words_total',
    'Words of the region that made no sense; each made a call go unguarded.',
    ofRegion(region => single(region.damaged)),
  ),
  metric(
    'gauge',
    'circuit_breaker_region_breakers',
    'Circuit breakers in the region.',
    ofRegion(region => single(region.breakers.length)),
  ),
  metric(
    'gauge',
    'circuit_breaker_region_breakers_limit',
    'Circuit breakers that the region has room for (maxBreakers).',
    ofRegion(region => single(region.maxBreakers)),
  ),
]

function slotsThatAre(
  state: RegistrySnapshot['slots'][number]['state'],
  { slots }: RegistrySnapshot,
): number {
  return slots.filter(slot => slot.state === state).length
}
