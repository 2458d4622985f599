/*
 * The windows that all threads share: the count window's ring (src/protocol/window-count.ts) and
 * the row of failures (window-consecutive.ts); those have the argument.
 */
#ifndef BUSBAR_CLIENT_WINDOW_SHARED_H
#define BUSBAR_CLIENT_WINDOW_SHARED_H

#include "state.h"

/* ---- count windows --------------------------------------------------------------------------- */

#define BB_PUT_ATTEMPTS 8

static inline uint32_t bb_lap_of(const busbar_breaker *breaker, uint32_t index) {
  return index >> breaker->lap_shift;
}

/* Whether the place of that index has been given to a later one. Seq_cst: rare. */
static inline bool bb_has_left(const busbar_breaker *breaker, uint32_t index) {
  return (uint32_t)bb_load(breaker->head) - index > breaker->ring_mask + 1;
}

/* Puts one outcome into the ring. */
static inline void bb_put_in_ring(const busbar_breaker *breaker, uint32_t generation,
                                  uint32_t kind) {
  /* ATOMIC count.take
   *   publishes: that this index is taken; its word reads as empty until count.put.
   *   dies here: the index stays empty and is passed over.
   *   wraps:     at 2^32, seamless, since the ring's capacity divides it.
   *   order:     acq_rel: calls in one order by way of this word put outcomes in that order. */
  uint32_t index = (uint32_t)bb_add_acq_rel(breaker->head, 1);
  int32_t *at = &breaker->ring[index & breaker->ring_mask];
  uint32_t lap = bb_lap_of(breaker, index);
  int32_t word = bb_pack_ring(generation, lap, kind);
  /* Only a hint of what is there: an old one fails in the exchange. */
  int32_t found = bb_peek(at);
  for (int attempt = 0; attempt < BB_PUT_ATTEMPTS; attempt++) {
    /* ATOMIC count.put
     *   observes:  the outcome that ours evicts; else HEAD, which says whether ours is late.
     *   publishes: our outcome.
     *   loses to:  a later lap: ours has left the window; an earlier one, late: try again, at the
     *              bound the window is one outcome short.
     *   dies here: as count.take.
     *   wraps:     2^32 outcomes between the take and the put.
     *   order:     acq_rel: what a sum must not miss is released to it by stock.spend. */
    if (!bb_is_of_lap_before(found, lap) && bb_has_left(breaker, index)) return;
    int32_t expected = found;
    found = bb_cas_acq_rel(at, expected, word);
    if (found == expected) return;
  }
}

static inline void bb_sum_ring(const busbar_breaker *breaker, uint32_t generation,
                               bb_counts *into) {
  /* ATOMIC count.read
   *   observes: HEAD, then the words before it; one replaced meanwhile reads as empty.
   *   order:    acquire: HEAD before its words. */
  uint32_t head = (uint32_t)bb_load_acquire(breaker->head);
  for (uint32_t back = 1; back <= breaker->ring_mask; back++) {
    if (!((double)into->calls < breaker->options.window_length)) return;
    uint32_t index = head - back;
    int32_t word = bb_load_acquire(&breaker->ring[index & breaker->ring_mask]);
    int32_t kind = bb_ring_kind_of(word, generation, bb_lap_of(breaker, index));
    if (kind >= 0) bb_add_kind(into, (uint32_t)kind, 1);
  }
}

/* ---- consecutive windows --------------------------------------------------------------------- */

/* Each one lost is an outcome of another thread. */
#define BB_ROW_ATTEMPTS 65536

/* Any bad kind lengthens the row: a slow success counts as a failure here (spec 2.3). */
static inline void bb_record_in_row(const busbar_breaker *breaker, int32_t seen, uint32_t kind) {
  uint32_t generation = bb_generation_of(seen);
  for (int attempt = 0; attempt < BB_ROW_ATTEMPTS; attempt++) {
    /* ATOMIC consecutive.record
     *   observes:  the row so far (pairs with itself).
     *   publishes: the row with this outcome at its end.
     *   loses to:  another outcome: look again, at the bound ours stays out of the row.
     *   dies here: the outcome is in the row or it is not; a full row opens at the next failure.
     *   wraps:     20 bits of generation: a row left alone for exactly 1,048,576 transitions.
     *   order:     seq_cst: the row is read before STATE, and replaced after it. On the healthy
     *              path, which writes nothing, that costs no more than acquire on x86-64. */
    int32_t found = bb_load(breaker->head);
    uint32_t row = bb_row_of(found, generation);
    if (kind == BB_GOOD && row == 0) return;
    if (!bb_is_still(breaker, seen)) return;
    uint32_t length = kind == BB_GOOD ? 0 : row < BUSBAR_MAX_ROW ? row + 1 : BUSBAR_MAX_ROW;
    if (bb_cas(breaker->head, found, bb_pack_row(generation, length)) != found) continue;
    bool is_full = (double)length >= breaker->options.window_length;
    if (is_full && bb_state_of(seen) == BUSBAR_CLOSED) {
      bb_counts trip = {length, length, 0, 0};
      bb_transition(breaker, seen, BUSBAR_OPEN, bb_time(breaker), &trip);
    }
    return;
  }
}

static inline void bb_sum_row(const busbar_breaker *breaker, uint32_t generation,
                              bb_counts *into) {
  uint32_t row = bb_row_of(bb_load_acquire(breaker->head), generation);
  into->calls = row;
  into->failures = row;
}

#endif
