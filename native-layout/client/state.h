/*
 * Transitions: src/protocol/state.ts, which has the argument, and wait.ts. The client makes those
 * that calls make: to open, half-open and closed. Commands by hand are JavaScript's.
 *
 * All of it is seq_cst: a transition is rare, and its argument compares STATE with other words.
 */
#ifndef BUSBAR_CLIENT_STATE_H
#define BUSBAR_CLIENT_STATE_H

#include "journal.h"

/*
 * Done after each transition, to tell JavaScript's listeners of it. Nothing here: that takes
 * Atomics.notify, and they find out without it (README.md). Define it where there is a way to call
 * JavaScript.
 */
#ifndef BUSBAR_ON_NEWS
#define BUSBAR_ON_NEWS() (void)0
#endif

/* A number in [0, 1) that depends on `x` alone. Finalizer of MurmurHash3, 32 bits. */
static inline double bb_uniform(uint32_t x) {
  x = (x ^ (x >> 16)) * UINT32_C(0x85ebca6b);
  x = (x ^ (x >> 13)) * UINT32_C(0xc2b2ae35);
  return (double)(x ^ (x >> 16)) / 4294967296.0;
}

/*
 * base ^ exponent by squaring. May differ from JavaScript's ** in the last bits, no matter: the
 * decider alone computes a wait, and it is stored in whole microseconds.
 */
static inline double bb_power(double base, uint32_t exponent) {
  double power = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) power *= base;
    base *= base;
  }
  return power;
}

/* The wait of the `opening`-th opening in a row, counted from 0, in ms (spec 2.5). */
static inline double bb_wait_ms(const busbar_breaker *breaker, uint32_t opening,
                                uint32_t generation) {
  const busbar_options *options = &breaker->options;
  double grown = options->wait_initial_ms > 0
                     ? options->wait_initial_ms * bb_power(options->wait_multiplier, opening)
                     : 0;
  double wait_ms = grown < options->wait_max_ms ? grown : options->wait_max_ms;
  double jitter = options->wait_jitter;
  if (!(jitter > 0)) return wait_ms;
  return wait_ms * (1 - jitter + 2 * jitter * bb_uniform((uint32_t)breaker->seed ^ generation));
}

/*
 * Writes one word of the generation after `seen`, unless it is there or STATE has moved past it;
 * returns the word that stands there then.
 */
static inline int64_t bb_fill(const busbar_breaker *breaker, int32_t seen, int64_t *at,
                              int64_t word, bb_is_of is_of) {
  /* ATOMIC state.fill
   *   observes:  a word of g - 1 while g or g + 1 is current; only g + 2's helpers replace it.
   *   loses to:  another helper: its word is as good.
   *   dies here: the next helper fills it.
   *   order:     seq_cst: the word is read before STATE, and replaced after it. */
  int64_t old = bb_load64(at);
  uint32_t generation = bb_next_generation(bb_generation_of(seen));
  if (is_of(old, generation)) return old;
  uint32_t current = bb_generation_of(bb_seen(breaker));
  if (current != bb_generation_of(seen) && current != generation) return old;
  int64_t found = bb_cas64(at, old, word);
  return found == old ? word : found;
}

static inline void bb_fill_detail(const busbar_breaker *breaker, int32_t seen, int64_t *pair,
                                  uint32_t value) {
  uint32_t generation = bb_next_generation(bb_generation_of(seen));
  int64_t word = bb_pack_tagged(generation + 1, value);
  bb_fill(breaker, seen, &pair[generation & 1], word, bb_is_detail_of);
}

/* The value of a detail of `generation`; false when its word is another generation's. */
static inline bool bb_read_detail(const int64_t *pair, uint32_t generation, uint32_t *value) {
  int64_t word = bb_load64(&pair[generation & 1]);
  if (!bb_is_detail_of(word, generation)) return false;
  *value = (uint32_t)BB_GET(TAGGED, VALUE, word);
  return true;
}

/* Openings since the breaker was last closed, once `target` has begun. */
static inline uint32_t bb_opening_after(const busbar_breaker *breaker, int32_t seen,
                                        uint32_t target) {
  if (target == BUSBAR_CLOSED) return 0;
  uint32_t openings = 0;
  bb_read_detail(breaker->record->openings, bb_generation_of(seen), &openings);
  return target == BUSBAR_OPEN ? openings + 1 : openings;
}

/* Fills what every generation needs; when it begins, as all who help say it. */
static inline double bb_fill_words(const busbar_breaker *breaker, int32_t seen, uint32_t target,
                                   double since_ms) {
  uint32_t generation = bb_next_generation(bb_generation_of(seen));
  int64_t *at = &breaker->record->since[generation & 1];
  int64_t since =
      bb_fill(breaker, seen, at, bb_pack_timed(generation, since_ms), bb_is_timed_of);
  bb_fill_detail(breaker, seen, breaker->record->openings,
                 bb_opening_after(breaker, seen, target));
  return bb_is_timed_of(since, generation) ? bb_time_of(since) : since_ms;
}

/* Whether a count's tag is of this breaker, not of one that had the record before. */
static inline bool bb_is_own_tag(const busbar_breaker *breaker, uint32_t tag) {
  return tag != 0 && !bb_is_later((uint32_t)breaker->first, tag - 1);
}

/* A state that there is not is damage: nobody counts transitions from it. */
static inline void bb_count_transition(const busbar_breaker *breaker, int32_t seen, uint32_t from,
                                       uint32_t to) {
  if (!(from < BUSBAR_STATES && to < BUSBAR_STATES)) return;
  /* ATOMIC state.count
   *   observes:  a count whose last transition was before this one.
   *   publishes: one more, once: the tag says for which generation.
   *   loses to:  another helper, which counted it.
   *   dies here: the next helper counts it.
   *   wraps:     a pair of states that had no transition for 2^21 generations misses one. */
  int64_t *at = &breaker->record->transitions[from * BUSBAR_STATES + to];
  uint32_t generation = bb_next_generation(bb_generation_of(seen));
  int64_t old = bb_load64(at);
  uint32_t tag = (uint32_t)BB_GET(TAGGED, TAG, old);
  if (old != 0 && !bb_is_later(generation, tag - 1)) return;
  uint32_t before = bb_is_own_tag(breaker, tag) ? (uint32_t)BB_GET(TAGGED, VALUE, old) : 0;
  bb_cas64(at, old, bb_pack_tagged(generation + 1, before + 1));
}

/*
 * Counts the transition and gives it its entry in the journal, looking from `head` on. `counts`,
 * of the state that ended, may be NULL; the maker alone knows them.
 */
static inline void bb_enter(const busbar_breaker *breaker, int32_t seen, uint32_t to,
                            uint32_t head, double since_ms, bool is_maker,
                            const bb_counts *counts) {
  bb_key key;
  uint32_t number = head;
  key.breaker = breaker->number;
  key.generation = bb_next_generation(bb_generation_of(seen));
  key.from = bb_state_of(seen);
  key.to = to;
  /* People know nothing of a record that goes to another breaker, and many may. */
  if (key.from == BB_REMOVED || to == BB_REMOVED) return;
  bb_count_transition(breaker, seen, key.from, to);
  if (!bb_append(breaker, seen, &key, &number)) return;
  bb_fill_time(breaker, number, since_ms);
  if (is_maker) bb_fill_maker(breaker, number, counts);
}

/*
 * A transition keeps the edition. But that which begins a new breaker shows the entry's at once, so
 * that whoever knows the old one does not take the word for one of its own.
 */
static inline uint64_t bb_edition_after(const busbar_breaker *breaker, int32_t seen) {
  if (bb_state_of(seen) != BB_REMOVED) return bb_edition_of(seen);
  return BB_GET(ENTRY, EDITION, bb_load64(&bb_region_of(breaker)->directory[breaker->number]));
}

/* Each one lost is another edition. */
#define BB_PUBLISH_STATE_ATTEMPTS 1024

static inline void bb_publish(const busbar_breaker *breaker, int32_t seen, uint32_t target) {
  uint32_t generation = bb_next_generation(bb_generation_of(seen));
  int32_t found = seen;
  for (int attempt = 0; attempt < BB_PUBLISH_STATE_ATTEMPTS; attempt++) {
    /* ATOMIC state.publish
     *   observes:  g still current, of whatever edition.
     *   publishes: g + 1 with all its words.
     *   loses to:  another helper that published the same decision; another edition: again, at
     *              the bound the next thread publishes.
     *   dies here: before the CAS the next thread publishes.
     *   wraps:     generations after 2^22 transitions: an outcome that late would count.
     *   order:     seq_cst: trials.claim looks at STATE after it has written its place. */
    int32_t expected = found;
    int32_t next = bb_pack_state(generation, target, bb_edition_after(breaker, expected));
    found = bb_cas(&breaker->record->state, expected, next);
    if (found == expected || bb_generation_of(found) != bb_generation_of(seen)) break;
  }
  BUSBAR_ON_NEWS();
}

/* The decider alone knows these; if it dies first, the opening is published without them. */
static inline void bb_write_trip(const busbar_breaker *breaker, int32_t seen, uint32_t target,
                                 const bb_counts *trip) {
  if (target == BUSBAR_CLOSED) return;
  busbar_record *record = breaker->record;
  uint32_t generation = bb_generation_of(seen);
  uint32_t calls, failures, slow;
  /* From half-open on, the window that opened it stays. */
  if (trip != NULL && target == BUSBAR_OPEN && bb_state_of(seen) != BUSBAR_HALF_OPEN) {
    bb_fill_detail(breaker, seen, record->trip_calls, (uint32_t)trip->calls);
    bb_fill_detail(breaker, seen, record->trip_failures, (uint32_t)trip->failures);
    bb_fill_detail(breaker, seen, record->trip_slow, (uint32_t)trip->slow_calls);
    return;
  }
  if (bb_read_detail(record->trip_calls, generation, &calls)) {
    bb_fill_detail(breaker, seen, record->trip_calls, calls);
  }
  if (bb_read_detail(record->trip_failures, generation, &failures)) {
    bb_fill_detail(breaker, seen, record->trip_failures, failures);
  }
  if (bb_read_detail(record->trip_slow, generation, &slow)) {
    bb_fill_detail(breaker, seen, record->trip_slow, slow);
  }
}

/*
 * Moves the breaker from the STATE word `seen` to `target`. True when this thread decided it; false
 * when another transition came first, which is published by then. `counts`: what the state that
 * ends has counted, NULL where that is nothing.
 */
static inline bool bb_transition(const busbar_breaker *breaker, int32_t seen, uint32_t target,
                                 double since_ms, const bb_counts *counts) {
  uint32_t generation = bb_next_generation(bb_generation_of(seen));
  int64_t *next = &breaker->record->next[generation & 1];
  uint32_t head = bb_journal_head(bb_region_of(breaker));
  uint32_t opening = bb_opening_after(breaker, seen, target);
  double until_ms = target == BUSBAR_OPEN
                        ? since_ms + bb_wait_ms(breaker, opening - 1, generation)
                        : since_ms;
  /* ATOMIC state.decide
   *   observes:  the word of g - 1, or another thread's decision for g + 1 (pairs with itself).
   *   publishes: state and time of g + 1 to whoever helps.
   *   loses to:  another decision: publish that one.
   *   dies here: before the CAS nothing happened; after it anyone publishes.
   *   wraps:     a late CAS needs the same microsecond, state and tag 1,024 transitions later.
   *   order:     seq_cst: the word is read before STATE, and replaced after it. */
  int64_t old = bb_load64(next);
  if (!bb_is_still(breaker, seen)) return false;
  int64_t decided = old;
  bool won = false;
  if (!bb_is_next_of(old, generation)) {
    int64_t mine = bb_pack_next(generation, target, until_ms);
    int64_t found = bb_cas64(next, old, mine);
    won = found == old;
    decided = won ? mine : found;
    if (!bb_is_next_of(decided, generation)) return false;
  }
  uint32_t to = (uint32_t)BB_GET(NEXT, STATE, decided);
  if (won) bb_write_trip(breaker, seen, target, counts);
  double began_ms = bb_fill_words(breaker, seen, to, since_ms);
  bb_enter(breaker, seen, to, head, began_ms, won, counts);
  bb_publish(breaker, seen, to);
  return won;
}

/* Open and forced-open: when the wait is over. False when the word is another generation's. */
static inline bool bb_read_time(const busbar_breaker *breaker, uint32_t generation, double *time) {
  int64_t word = bb_load64(&breaker->record->next[generation & 1]);
  if (!bb_is_next_of(word, generation)) return false;
  *time = bb_time_of(word);
  return true;
}

#endif
