/*
 * Giving a slot back: `leave` of src/threads/membership.ts. Calls still in flight are handed to the
 * overflow shard, where they will be settled by whoever has their permits.
 */
#ifndef BUSBAR_CLIENT_LEAVE_H
#define BUSBAR_CLIENT_LEAVE_H

#include "follower.h"
#include "trials.h"

/* Hands the places that the thread holds in the current generation to the overflow slot. */
static inline void bb_hand_places_over(const busbar_breaker *breaker) {
  for (uint32_t index = 0; index < breaker->most_trials; index++) {
    /* ATOMIC trials.reap
     *   observes:  a claim of the caller's slot.
     *   loses to:  nobody but the settler of that very claim.
     *   dies here: the slot is not free yet: it can be marked dead and reaped. */
    busbar_place *place = &breaker->places[index];
    int64_t word = bb_load64(&place->place);
    bool is_ours = BB_GET(PLACE, KIND, word) == BUSBAR_PLACE_CLAIMED &&
                   BB_GET(PLACE, SLOT, word) == (uint64_t)breaker->thread->slot;
    uint32_t generation = (uint32_t)BB_GET(PLACE, GENERATION, word);
    /* What had the record before has left claims that nobody settles any more. */
    if (!is_ours || bb_is_later((uint32_t)breaker->first, generation)) continue;
    double now = bb_time(breaker);
    if (now >= bb_lease_end(breaker, place, word, now)) continue;
    uint32_t claim = (uint32_t)BB_GET(PLACE, CLAIM, word);
    bb_cas64(&place->place, word,
             bb_pack_place(generation, BUSBAR_PLACE_CLAIMED, claim, BUSBAR_OVERFLOW_SLOT));
  }
}

static inline void bb_move_in_flight(const busbar_breaker *breaker) {
  busbar_totals *own = breaker->totals;
  const int64_t *ends[] = {&own->succeeded, &own->failed, &own->ignored, &own->late,
                           &own->abandoned};
  /* Unsigned: damaged counters may wrap. */
  uint64_t in_flight = (uint64_t)bb_load64(&own->admitted);
  for (int end = 0; end < 5; end++) in_flight -= (uint64_t)bb_load64(ends[end]);
  /* ATOMIC totals.move
   *   publishes: the same sum over both shards.
   *   dies here: between the two the calls become abandoned, and stay in flight as well. */
  bb_add64(&bb_shard_of(breaker, BUSBAR_OVERFLOW_SLOT)->admitted, (int64_t)in_flight);
  bb_add64(&own->admitted, (int64_t)(0 - in_flight));
}

/*
 * Ends the thread's membership. Its busbar_breaker objects must not be used any more. Cost: a
 * microsecond for each breaker of the region.
 */
static inline void busbar_leave(busbar_thread *thread) {
  const busbar_region *region = thread->region;
  if (thread->slot == BUSBAR_OVERFLOW_SLOT) return;
  bb_use_overflow(region);
  uint64_t lines = 0;
  for (int64_t index = 0; index < region->max_breakers; index++) {
    bb_entry entry;
    busbar_breaker breaker;
    if (bb_read_entry(region, index, lines, &entry) != BUSBAR_OK) break;
    lines += entry.shape.lines;
    bb_fill_in(&breaker, thread, &entry);
    bb_hand_places_over(&breaker);
    if (bb_is_counted_for(&breaker)) bb_move_in_flight(&breaker);
  }
  /* ATOMIC slots.free
   *   publishes: a free slot with the same epoch.
   *   loses to:  a reaper, when the thread was marked dead by mistake.
   *   order:     seq_cst: rare. Release is needed: the next holder goes on with our counters. */
  int64_t free_word = (int64_t)BB_PUT(THREAD, EPOCH, BB_GET(THREAD, EPOCH, thread->held));
  bb_cas64(&region->threads[thread->slot], thread->held, free_word);
  thread->slot = BUSBAR_OVERFLOW_SLOT;
}

#endif
