/*
 * A thread's place in a region: src/protocol/slots.ts. Threads that Node.js did not start have
 * numbers from BUSBAR_FIRST_NATIVE_THREAD on, and a parent that no thread has: no worker's death is
 * taken for theirs.
 *
 * A native thread that ends without busbar_leave keeps its slot, and its trials until their leases
 * are over (P3). Whoever knows that it has ended says so with busbar_mark_dead; any JavaScript
 * thread that reaps (the keeper, or one that sees a worker end) then gives back all that it held.
 */
#ifndef BUSBAR_CLIENT_SLOTS_H
#define BUSBAR_CLIENT_SLOTS_H

#include "clock.h"

#define BUSBAR_OVERFLOW_SLOT 0

/* One thread's membership in a region. Only that thread may use it, but for busbar_mark_dead. */
typedef struct {
  const busbar_region *region;
  int64_t held; /* the slot's word; 0 in the overflow slot */
  int32_t slot;
  uint32_t number; /* as the region knows the thread */
  bb_clock clock;
} busbar_thread;

/* A member without a slot of its own. */
static inline void bb_begin(busbar_thread *thread, const busbar_region *region,
                            uint32_t number) {
  bb_clock clock = {0, 0, 0, BUSBAR_NO_KEEPER, 0, 1};
  thread->region = region;
  thread->held = 0;
  thread->slot = BUSBAR_OVERFLOW_SLOT;
  thread->number = number;
  thread->clock = clock;
}

static inline void bb_use_overflow(const busbar_region *region) {
  /* ATOMIC slots.overflow
   *   publishes: what never changes back, before the caller records there.
   *   order:     seq_cst: a sum that starts after our record must look at it. */
  bb_store(&region->header->overflow_used, 1);
}

/* Sums look at slots 1 to slots_used only. Raised before a slot beyond is claimed. */
static inline void bb_raise_slots_used(const busbar_region *region, int32_t slot) {
  for (int32_t attempt = 0; attempt <= slot; attempt++) {
    /* ATOMIC slots.raise
     *   publishes: that sums must look at this slot.
     *   loses to:  another raise: each one is at least one step, so `slot` attempts suffice.
     *   order:     seq_cst: a sum that starts after our record must look at it. */
    int32_t used = bb_load(&region->header->slots_used);
    if (used >= slot) return;
    if (bb_cas(&region->header->slots_used, used, slot) == used) return;
  }
}

/* The highest slot that was ever claimed, or is about to be. */
static inline int32_t bb_slots_in_use(const busbar_region *region) {
  int32_t used = bb_load_acquire(&region->header->slots_used);
  return used < region->max_threads ? used : region->max_threads;
}

/*
 * Makes the calling thread a member: claims a slot, or the overflow slot, which is slower, where
 * all are taken. `number` is for people, for example gettid(): dumps and transitions show it.
 */
static inline void busbar_join(busbar_thread *thread, const busbar_region *region,
                               uint32_t number) {
  uint32_t mine = BUSBAR_FIRST_NATIVE_THREAD | (number & (BUSBAR_FIRST_NATIVE_THREAD - 1));
  bb_begin(thread, region, mine);
  for (int32_t slot = 1; slot <= region->max_threads; slot++) {
    int64_t found = bb_load64(&region->threads[slot]);
    if (bb_is_live(found)) continue;
    bb_raise_slots_used(region, slot);
    /* ATOMIC slots.claim
     *   observes:  a free slot (pairs with slots.free).
     *   publishes: who holds it.
     *   loses to:  another claimer: try the next slot.
     *   dies here: after the CAS the slot is reaped once the thread is marked dead.
     *   wraps:     11 bits of epoch.
     *   order:     seq_cst: rare. Acquire is needed: the last holder's counters go on. */
    uint64_t epoch = BB_GET(THREAD, EPOCH, found) + 1;
    uint64_t word = BB_PUT(THREAD, LIVE, 1) | BB_PUT(THREAD, EPOCH, epoch) |
                    BB_PUT(THREAD, THREAD, mine) | BB_PUT(THREAD, PARENT, BUSBAR_NO_PARENT);
    if (bb_cas64(&region->threads[slot], found, (int64_t)word) != found) continue;
    thread->slot = slot;
    thread->held = (int64_t)word;
    return;
  }
  bb_use_overflow(region);
  /* ATOMIC slots.none
   *   publishes: one thread more that has no slot, for people. */
  bb_add(&region->header->threads_without_slot, 1);
}

/*
 * Says that `thread` has ended: its slot, places and calls in flight go to whoever reaps. May be
 * called by any thread, once the other runs no more; after busbar_leave it does nothing.
 */
static inline void busbar_mark_dead(const busbar_thread *thread) {
  if (thread->slot == BUSBAR_OVERFLOW_SLOT) return;
  /* ATOMIC slots.mark
   *   observes:  the word of a thread that has ended.
   *   publishes: that anybody may reap it.
   *   loses to:  another thread that knows of the death, or that has reaped it.
   *   dies here: as if this thread had not been told.
   *   order:     seq_cst: rare. Release is needed: the reaper reads what the dead thread wrote. */
  int64_t marked = thread->held | (int64_t)BB_PUT(THREAD, PARENT, BUSBAR_DEAD_PARENT);
  bb_cas64(&thread->region->threads[thread->slot], thread->held, marked);
}

#endif
