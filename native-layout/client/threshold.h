/*
 * When a window opens the breaker, and how far from that it is: src/protocol/threshold.ts, which
 * has the argument. Pure: counts in, numbers out. Rates are quotients in double precision (spec
 * 2.4).
 */
#ifndef BUSBAR_CLIENT_THRESHOLD_H
#define BUSBAR_CLIENT_THRESHOLD_H

#include "cell.h"

static inline bool bb_reaches_threshold(const busbar_breaker *breaker, const bb_counts *counts) {
  double calls = (double)counts->calls;
  return calls >= breaker->minimum_calls &&
         ((double)counts->failures / calls >= breaker->options.failure_rate ||
          (double)counts->slow_calls / calls >= breaker->slow_rate);
}

static inline double bb_surest_rate(const bb_counts *first, const bb_counts *second,
                                    uint64_t first_bad, uint64_t second_bad) {
  uint64_t good = first->calls - first_bad;
  uint64_t good_then = second->calls - second_bad;
  return (double)first_bad / (double)(first_bad + (good > good_then ? good : good_then));
}

/*
 * As bb_reaches_threshold(first), for a first sum that may have missed good outcomes which came
 * before bad ones that it saw: the second has them.
 */
static inline bool bb_surely_reaches(const busbar_breaker *breaker, const bb_counts *first,
                                     const bb_counts *second) {
  double failing = bb_surest_rate(first, second, first->failures, second->failures);
  double slow = bb_surest_rate(first, second, first->slow_calls, second->slow_calls);
  return (double)first->calls >= breaker->minimum_calls &&
         (failing >= breaker->options.failure_rate || slow >= breaker->slow_rate);
}

static inline double bb_least(double a, double b) { return a < b ? a : b; }

static inline double bb_bad_outcomes_until(double rate, double calls, double bad,
                                           double capacity) {
  if (!(rate <= 1)) return BUSBAR_MAX_STOCK;
  double while_growing = rate < 1 ? (rate * calls - bad) / (1 - rate) : BUSBAR_MAX_STOCK;
  /* calls == bad at rate 1 has reached the threshold; otherwise only expiry or eviction can. */
  double when_full = rate * capacity - bad;
  return calls + while_growing <= capacity ? while_growing : bb_least(while_growing, when_full);
}

/*
 * A number of further outcomes that are needed at the least before the window can reach a
 * threshold, given that it has not yet. In [1, BUSBAR_MAX_STOCK].
 */
static inline int32_t bb_stock_until_threshold(const busbar_breaker *breaker,
                                               const bb_counts *counts) {
  double calls = (double)counts->calls;
  double missing = breaker->minimum_calls - calls;
  if (missing > 0) return (int32_t)bb_least(missing, BUSBAR_MAX_STOCK);
  double failing = bb_bad_outcomes_until(breaker->options.failure_rate, calls,
                                         (double)counts->failures, breaker->capacity);
  double slow = bb_bad_outcomes_until(breaker->slow_rate, calls, (double)counts->slow_calls,
                                      breaker->capacity);
  double left = bb_least(bb_least(failing, slow), BUSBAR_MAX_STOCK);
  return left >= 1 ? (int32_t)left : 1;
}

#endif
