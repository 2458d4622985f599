/*
 * Recording an outcome of a closed or metrics-only breaker in its window: the record functions of
 * src/protocol/window-time.ts, window-count.ts and window-consecutive.ts.
 */
#ifndef BUSBAR_CLIENT_RECORD_H
#define BUSBAR_CLIENT_RECORD_H

#include "stock.h"

static inline void bb_judge_time(busbar_breaker *breaker, int32_t seen) {
  double summed_at = 0;
  bool relies = bb_judge(breaker, seen, &summed_at);
  breaker->relies_on_bucket = relies ? bb_bucket_number(breaker, summed_at) : BB_NEVER;
  breaker->relies_on_generation = bb_generation_of(seen);
}

/* Good outcomes need no look at the stock or the bucket until this one ends, or a sum is due. */
static inline void bb_spare_good(busbar_breaker *breaker, int32_t seen, int64_t number) {
  bool is_safe = bb_state_of(seen) == BUSBAR_METRICS_ONLY ||
                 (breaker->relies_on_bucket == number && breaker->found_minimum);
  if (breaker->thread->slot == BUSBAR_OVERFLOW_SLOT || !is_safe) return;
  uint32_t generation = bb_generation_of(seen);
  double end = (double)(number + 1) * breaker->options.window_length / breaker->buckets;
  breaker->spares_until = bb_least(end, breaker->next_look);
  breaker->spares_generation = generation;
  breaker->good_counter = &bb_own_bucket(breaker, generation, number)->kinds[BB_GOOD];
}

static inline void bb_record_in_buckets(busbar_breaker *breaker, int32_t seen, uint32_t kind) {
  uint32_t generation = bb_generation_of(seen);
  double now = bb_time(breaker);
  int64_t number = bb_bucket_number(breaker, now);
  breaker->spares_generation = BB_NEVER;
  if (breaker->thread->slot == BUSBAR_OVERFLOW_SLOT) {
    bb_record_overflow(breaker, generation, number, kind);
  } else {
    bb_count_in_bucket(&bb_own_bucket(breaker, generation, number)->kinds[kind]);
  }
  bool relies =
      breaker->relies_on_bucket == number && breaker->relies_on_generation == generation;
  int32_t stock = bb_spend(breaker, seen);
  if (bb_stock_of(stock) <= 1 || !relies) {
    bb_judge_time(breaker, seen);
  } else if (bb_holds_minimum(stock)) {
    breaker->found_minimum = true;
  }
  now = bb_clock_of(breaker)->current;
  if (now >= breaker->next_look) bb_look_at_duty(breaker, generation, now);
  bb_spare_good(breaker, seen, number);
}

static inline void bb_record_in_ring(busbar_breaker *breaker, int32_t seen, uint32_t kind) {
  uint32_t generation = bb_generation_of(seen);
  bb_put_in_ring(breaker, generation, kind);
  if (kind == BB_GOOD && breaker->spares_generation == generation) return;
  int32_t stock = bb_spend(breaker, seen);
  if (bb_stock_of(stock) <= 1 || breaker->relies_on_generation != generation) {
    double summed_at = 0;
    bool relies = bb_judge(breaker, seen, &summed_at);
    breaker->relies_on_generation = relies ? (int64_t)generation : BB_NEVER;
    breaker->spares_generation =
        breaker->found_minimum ? breaker->relies_on_generation : BB_NEVER;
  } else if (bb_holds_minimum(stock)) {
    breaker->spares_generation = generation;
  }
}

/* Whether a good outcome now goes into this thread's counter, and that is all. */
static inline bool bb_is_spared(busbar_breaker *breaker, int32_t seen) {
  if (bb_generation_of(seen) != breaker->spares_generation) return false;
  bb_clock *clock = bb_clock_of(breaker);
  bb_glance(clock, bb_region_of(breaker));
  return clock->latest < breaker->spares_until;
}

/* Records an outcome of the generation in `seen`, a STATE word of closed or metrics-only. */
static inline void bb_record(busbar_breaker *breaker, int32_t seen, uint32_t kind) {
  if (breaker->options.window == BUSBAR_WINDOW_TIME) {
    if (kind == BB_GOOD && bb_is_spared(breaker, seen)) {
      bb_count_in_bucket(breaker->good_counter);
    } else {
      bb_record_in_buckets(breaker, seen, kind);
    }
  } else if (breaker->options.window == BUSBAR_WINDOW_COUNT) {
    bb_record_in_ring(breaker, seen, kind);
  } else {
    bb_record_in_row(breaker, seen, kind);
  }
}

#endif
