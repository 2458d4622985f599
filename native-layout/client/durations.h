/*
 * How long calls took: the counting half of src/protocol/durations.ts. Whole microseconds, in a
 * log-linear histogram for each thread and breaker, which JavaScript reads.
 */
#ifndef BUSBAR_CLIENT_DURATIONS_H
#define BUSBAR_CLIENT_DURATIONS_H

#include "cell.h"

/* Where the last counter begins. */
#define BB_TOO_LONG_MICROS ((uint64_t)BUSBAR_DURATION_UNIT_MICROS << BUSBAR_DURATION_OCTAVES)

/* Sums take a longer duration for this, 12 days, so that many of them do not overflow. */
#define BB_MAX_DURATION_MICROS (UINT64_C(1) << 40)

/* Whole microseconds, halves rounded up, of a duration of at least 0 ms, which may be infinite. */
static inline uint64_t bb_duration_micros(double duration_ms) {
  double micros = duration_ms * 1000;
  if (!(micros < (double)BB_MAX_DURATION_MICROS)) return BB_MAX_DURATION_MICROS;
  uint64_t whole = (uint64_t)micros;
  /* Exact, where adding a half would round. */
  return micros - (double)whole >= 0.5 ? whole + 1 : whole;
}

/* Which counter takes a duration of so many microseconds. */
static inline uint32_t bb_duration_counter_of(uint64_t micros) {
  if (micros < BUSBAR_DURATION_UNIT_MICROS) return 0;
  if (micros >= BB_TOO_LONG_MICROS) return BUSBAR_DURATION_COUNTERS - 1;
  const uint32_t units = (uint32_t)micros / BUSBAR_DURATION_UNIT_MICROS;
  const uint32_t octave = 31u - (uint32_t)__builtin_clz(units);
  const uint32_t first_step = BUSBAR_DURATION_UNIT_MICROS / BUSBAR_DURATION_STEPS;
  const uint32_t steps = (uint32_t)micros / (first_step << octave);
  return 1 + octave * BUSBAR_DURATION_STEPS + steps - BUSBAR_DURATION_STEPS;
}

/* Counts a duration of at least 0 ms. */
static inline void bb_record_duration(const busbar_breaker *breaker, double duration_ms) {
  uint64_t micros = bb_duration_micros(duration_ms);
  busbar_tally *tally = breaker->tally;
  bb_count(breaker, &tally->durations[bb_duration_counter_of(micros)]);
  /* ATOMIC durations.add
   *   publishes: the sum of durations, for people. In other tallies than slot 0's by their only
   *              writer.
   *   order:     relaxed where plain in JavaScript, as totals.count. */
  if (breaker->thread->slot == BUSBAR_OVERFLOW_SLOT) {
    bb_add64(&tally->micros, (int64_t)micros);
  } else {
    bb_count64(&tally->micros, micros);
  }
}

#endif
