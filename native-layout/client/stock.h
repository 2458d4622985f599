/*
 * When to add a window up: src/protocol/stock.ts, which has the argument; and the periodic sum of
 * time windows (periodic.ts), which is for people.
 */
#ifndef BUSBAR_CLIENT_STOCK_H
#define BUSBAR_CLIENT_STOCK_H

#include "threshold.h"
#include "window_shared.h"
#include "window_time.h"

/* The window of `generation` at time `now`. Cost: a load for each word of a time window's buckets,
 * or for each outcome of a count window. */
static inline bb_counts bb_sum(const busbar_breaker *breaker, uint32_t generation, double now) {
  bb_counts counts = {0, 0, 0, 0};
  if (breaker->options.window == BUSBAR_WINDOW_TIME) {
    bb_sum_time(breaker, generation, now, &counts);
  } else if (breaker->options.window == BUSBAR_WINDOW_COUNT) {
    bb_sum_ring(breaker, generation, &counts);
  } else {
    bb_sum_row(breaker, generation, &counts);
  }
  return counts;
}

#define BB_JUDGE_ATTEMPTS 4
/* Each one lost is an outcome of another thread. */
#define BB_PUBLISH_ATTEMPTS 1024

/* Takes one outcome out while closed; the word from which it was taken. */
static inline int32_t bb_spend(const busbar_breaker *breaker, int32_t seen) {
  /* Metrics-only has no use for a stock: it finds plenty. */
  if (bb_state_of(seen) != BUSBAR_CLOSED) return bb_restock(0, BUSBAR_MAX_STOCK, true);
  /* ATOMIC stock.spend
   *   observes: the stock of the last sum (pairs with stock.publish).
   *   dies here: before it, after the record: one outcome is missing until the next sum, so the
   *              breaker may open one outcome late.
   *   order:    acq_rel: releases our outcome to whoever finds less in the stock, and of two who
   *             spend at once the later one sums what the earlier one recorded. */
  return bb_add_acq_rel(breaker->stock, -1);
}

static inline bool bb_publish_stock(const busbar_breaker *breaker, int32_t before, int32_t left,
                                    bool holds_minimum) {
  int32_t found = before;
  for (int attempt = 0; attempt < BB_PUBLISH_ATTEMPTS; attempt++) {
    /* ATOMIC stock.publish
     *   observes:  the word read before the sum, or the same with outcomes taken out since.
     *   publishes: how many outcomes the next sum may wait for.
     *   loses to:  an outcome: subtract it; another sum: sum again, at the bound go on unrelying.
     *   dies here: the old stock stands; every thread that relies on it published it or one later.
     *   wraps:     17 bits of version: a late CAS needs 131,072 sums and the same stock.
     *   order:     acq_rel, as stock.spend. */
    int32_t rest = left - (bb_stock_of(before) - bb_stock_of(found));
    int32_t after = bb_restock(before, rest > 1 ? rest : 1, holds_minimum);
    int32_t expected = found;
    found = bb_cas_acq_rel(breaker->stock, expected, after);
    if (found == expected) return true;
    if (!bb_is_same_stock(found, before)) return false;
  }
  return false;
}

/*
 * Sums, opens the breaker if the threshold is reached, and publishes the new stock if not. True,
 * with the time of the sum, when the thread may rely on that stock.
 */
static inline bool bb_judge(busbar_breaker *breaker, int32_t seen, double *summed_at) {
  for (int attempt = 0; attempt < BB_JUDGE_ATTEMPTS; attempt++) {
    /* ATOMIC stock.read
     *   observes: the word before everything that the sum reads (pairs with stock.publish).
     *   order:    acquire for the sum; seq_cst for STATE, which is read after it. */
    int32_t before = bb_load(breaker->stock);
    int32_t current = bb_seen(breaker);
    if (bb_generation_of(current) != bb_generation_of(seen)) return false;
    if (bb_state_of(seen) != BUSBAR_CLOSED) return false;
    double now = bb_time(breaker);
    bb_counts counts = bb_sum(breaker, bb_generation_of(seen), now);
    if (bb_reaches_threshold(breaker, &counts)) {
      bb_counts first = counts;
      counts = bb_sum(breaker, bb_generation_of(seen), now);
      if (bb_surely_reaches(breaker, &first, &counts)) {
        breaker->found_minimum = true;
        bb_transition(breaker, seen, BUSBAR_OPEN, now, &first);
        return false;
      }
    }
    /* Nobody may rely on a stock by options that others have replaced meanwhile. */
    if (current != seen) return false;
    int32_t left = bb_stock_until_threshold(breaker, &counts);
    breaker->found_minimum = (double)counts.calls >= breaker->minimum_calls;
    *summed_at = now;
    if (bb_publish_stock(breaker, before, left, breaker->found_minimum)) return true;
  }
  return false;
}

/* ---- the periodic sum: all seq_cst, once in 100 ms ------------------------------------------- */

#define BB_SUM_INTERVAL_MS 100
/* An earlier taker is late with each word once at the most; more than so many leave a gap. */
#define BB_SUMMARY_ATTEMPTS 4

static inline void bb_put_summary(const busbar_breaker *breaker, int64_t *at, int64_t mine,
                                  int64_t word) {
  for (int attempt = 0; attempt < BB_SUMMARY_ATTEMPTS; attempt++) {
    /* ATOMIC periodic.put
     *   observes:  the duty still ours after the word was read.
     *   publishes: one word of this round.
     *   loses to:  the next taker: stop; an earlier one, which was late with this word: again.
     *   dies here: the round is incomplete and no reader takes it. */
    int64_t old = bb_load64(at);
    if (bb_load64(&breaker->summary->duty) != mine) return;
    if (bb_cas64(at, old, word) == old) return;
  }
}

static inline int64_t bb_pack_count(uint32_t fence, uint64_t count) {
  return bb_pack_tagged(fence, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
}

/* Takes the duty if it is due. */
static inline void bb_look_at_duty(busbar_breaker *breaker, uint32_t generation, double now) {
  busbar_summary *summary = breaker->summary;
  /* ATOMIC duty.take
   *   observes:  when the duty is due, and its fence.
   *   publishes: the next fence: words of earlier ones may be replaced.
   *   loses to:  another taker: it sums.
   *   dies here: nobody sums until the duty is due again.
   *   wraps:     13 bits of fence: a late taker needs 8,192 rounds, 13 minutes. */
  int64_t duty = bb_load64(&summary->duty);
  double due = bb_time_of(duty);
  /* Due later than any taker can have made it is damage: take it over. */
  if (now < due && due <= now + 2 * BB_SUM_INTERVAL_MS) {
    breaker->next_look = due;
    return;
  }
  breaker->next_look = now + BB_SUM_INTERVAL_MS;
  uint32_t fence = (uint32_t)BB_TAKES(TIMED, TAG, BB_GET(TIMED, TAG, duty) + 1);
  int64_t mine = bb_pack_timed(fence, breaker->next_look);
  if (bb_cas64(&summary->duty, duty, mine) != duty) return;
  bb_counts counts = bb_sum(breaker, generation, now);
  bb_put_summary(breaker, &summary->at, mine, bb_pack_timed(fence, now));
  bb_put_summary(breaker, &summary->generation, mine, bb_pack_tagged(fence, generation));
  bb_put_summary(breaker, &summary->calls, mine, bb_pack_count(fence, counts.calls));
  bb_put_summary(breaker, &summary->failures, mine, bb_pack_count(fence, counts.failures));
  bb_put_summary(breaker, &summary->slow, mine, bb_pack_count(fence, counts.slow_calls));
  bb_put_summary(breaker, &summary->slow_failures, mine,
                 bb_pack_count(fence, counts.slow_failures));
}

#endif
