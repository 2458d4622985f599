/*
 * One breaker as one thread sees it: where its words are, what its options say, and what this
 * thread remembers of it (src/protocol/cell.ts and the fields of Core and its windows).
 */
#ifndef BUSBAR_CLIENT_CELL_H
#define BUSBAR_CLIENT_CELL_H

#include "directory.h"

/* Kinds of outcome: bit 0 says failed, bit 1 says slow. Every kind but 0 is a bad one. */
#define BB_GOOD 0u
#define BB_FAILED 1u
#define BB_SLOW 2u

/* What a window holds. A call can be a failure, slow, both or neither. */
typedef struct {
  uint64_t calls;
  uint64_t failures;
  uint64_t slow_calls;
  uint64_t slow_failures;
} bb_counts;

static inline void bb_add_kind(bb_counts *counts, uint32_t kind, uint64_t times) {
  counts->calls += times;
  if (kind & BB_FAILED) counts->failures += times;
  if (kind & BB_SLOW) counts->slow_calls += times;
  if (kind == (BB_FAILED | BB_SLOW)) counts->slow_failures += times;
}

/* No generation, and no word of one. */
#define BB_NEVER (-1)

/*
 * Filled in by busbar_find: a breaker in the hands of one thread, good until its busbar_leave. All
 * fields are the client's own.
 */
typedef struct {
  busbar_thread *thread;
  busbar_options options; /* in force */
  double created_ms;
  double longest_wait_ms; /* no wait and */
  double longest_lease_ms; /* no trial's lease is longer, by whatever options it has had */
  int64_t word; /* its entry in the directory, as it was read */
  int32_t edition; /* of that entry, as STATE has it; BB_NEVER: not known */
  int32_t first; /* the first generation of the record that is this breaker's */
  int32_t seed;
  uint32_t number; /* in the directory */

  busbar_record *record;
  busbar_place *places;
  int32_t *stock;
  busbar_summary *summary;
  int32_t *head; /* HEAD or ROW */
  int32_t *ring;
  uint32_t ring_mask;
  uint32_t lap_shift;
  uint8_t *shards;
  uint64_t overflow_bytes;
  uint64_t shard_bytes;
  uint32_t buckets;
  uint32_t trials;
  uint32_t most_trials; /* at a time, by whatever options it has had */
  busbar_totals *totals; /* this thread's, and */
  busbar_tally *tally;

  double minimum_calls;
  double slow_rate; /* infinity when slow calls are off */
  double capacity;  /* the most calls that the window can hold */

  /* What this thread knows. Generations are int64_t, so that BB_NEVER is none. */
  int64_t refused_by;
  double refused_until;
  int64_t *refused; /* the counter of refusals in the state that refused last */
  int64_t relies_on_generation;
  int64_t relies_on_bucket;
  bool found_minimum;
  int64_t spares_generation;
  double spares_until;
  uint32_t *good_counter;
  double next_look;
} busbar_breaker;

static inline bb_clock *bb_clock_of(const busbar_breaker *breaker) {
  return &breaker->thread->clock;
}

static inline const busbar_region *bb_region_of(const busbar_breaker *breaker) {
  return breaker->thread->region;
}

static inline double bb_time(const busbar_breaker *breaker) {
  return bb_now(bb_clock_of(breaker), bb_region_of(breaker));
}

/* STATE, to be compared with what was seen. Seq_cst: see the callers. */
static inline int32_t bb_seen(const busbar_breaker *breaker) {
  return bb_load(&breaker->record->state);
}

/* Whether this thread knows the options for which the STATE word stands, and it is not gone. */
static inline bool bb_knows(const busbar_breaker *breaker, int32_t seen) {
  return (int32_t)bb_edition_of(seen) == breaker->edition && bb_state_of(seen) != BB_REMOVED;
}

/* Whether it says closed, by options that this thread knows. */
static inline bool bb_is_closed(const busbar_breaker *breaker, int32_t seen) {
  return (int32_t)bb_edition_of(seen) == breaker->edition && bb_state_of(seen) == BUSBAR_CLOSED;
}

/* Whether the generation of `seen` is current, of whatever edition. Seq_cst: see the callers. */
static inline bool bb_is_still(const busbar_breaker *breaker, int32_t seen) {
  return bb_generation_of(bb_seen(breaker)) == bb_generation_of(seen);
}

/* The start of a slot's shard: its totals; its buckets follow. */
static inline busbar_totals *bb_shard_of(const busbar_breaker *breaker, int32_t slot) {
  uint64_t owned = breaker->overflow_bytes + (uint64_t)(slot - 1) * breaker->shard_bytes;
  return (busbar_totals *)(void *)(breaker->shards + (slot > 0 ? owned : 0));
}

static inline busbar_bucket *bb_buckets_of(const busbar_breaker *breaker, int32_t slot) {
  return (busbar_bucket *)(void *)(bb_shard_of(breaker, slot) + 1);
}

/* Counts one more of a total in this thread's shard. */
static inline void bb_count(const busbar_breaker *breaker, int64_t *counter) {
  /* ATOMIC totals.count
   *   publishes: one more, for people. In other shards than slot 0's by their only writer.
   *   order:     relaxed where plain in JavaScript: no decision reads it. */
  if (breaker->thread->slot == BUSBAR_OVERFLOW_SLOT) {
    bb_add64(counter, 1);
  } else {
    bb_count64(counter, 1);
  }
}

/* The counter of this thread's refusals in that state: open, half-open or forced-open. */
static inline int64_t *bb_refusals_of(const busbar_breaker *breaker, uint32_t state) {
  if (state == BUSBAR_HALF_OPEN) return &breaker->tally->refused_half_open;
  if (state == BUSBAR_FORCED_OPEN) return &breaker->tally->refused_forced_open;
  return &breaker->totals->refused;
}

/* Whether this thread's counters are this breaker's, and not those of one before it. */
static inline bool bb_is_counted_for(const busbar_breaker *breaker) {
  return breaker->thread->slot == BUSBAR_OVERFLOW_SLOT ||
         bb_peek(&breaker->tally->first) == breaker->first;
}

/* What this thread knows of the window and of refusals: nothing. */
static inline void bb_forget(busbar_breaker *breaker) {
  breaker->refused_by = BB_NEVER;
  breaker->refused_until = 0;
  breaker->refused = &breaker->totals->refused;
  breaker->relies_on_generation = BB_NEVER;
  breaker->relies_on_bucket = BB_NEVER;
  breaker->found_minimum = false;
  breaker->spares_generation = BB_NEVER;
  breaker->spares_until = 0;
  breaker->good_counter = NULL;
  breaker->next_look = 0;
}

/* What the definition says. */
static inline void bb_take_definition(busbar_breaker *breaker,
                                      const busbar_definition *definition) {
  const busbar_options *options = &definition->options;
  int32_t most = definition->most_trials < BUSBAR_MAX_TRIALS ? definition->most_trials
                                                             : BUSBAR_MAX_TRIALS;
  bool is_time = options->window == BUSBAR_WINDOW_TIME;
  bool is_count = options->window == BUSBAR_WINDOW_COUNT;
  breaker->options = *options;
  breaker->created_ms = definition->created_ms;
  breaker->longest_wait_ms = definition->longest_wait_ms;
  breaker->longest_lease_ms = definition->longest_lease_ms;
  breaker->first = definition->first;
  breaker->buckets = is_time ? (uint32_t)options->buckets : 0;
  breaker->trials = (uint32_t)options->trials;
  breaker->most_trials = most > 0 ? (uint32_t)most : 0;
  breaker->capacity = is_count ? options->window_length : bb_infinity();
  breaker->minimum_calls =
      options->minimum_calls < breaker->capacity ? options->minimum_calls : breaker->capacity;
  bool measures = options->slow_duration_ms < bb_infinity();
  breaker->slow_rate = measures ? options->slow_rate : bb_infinity();
}

static inline void bb_fill_in(busbar_breaker *breaker, busbar_thread *thread,
                              const bb_entry *entry) {
  const busbar_region *region = thread->region;
  const bb_shape *shape = &entry->shape;
  uint8_t *record = entry->record;
  breaker->thread = thread;
  breaker->word = entry->word;
  breaker->edition = (int32_t)BB_TAKES(STATE, EDITION, BB_GET(ENTRY, EDITION, entry->word));
  uint32_t word = (uint32_t)((uint64_t)(record - region->base) / sizeof(int32_t));
  breaker->seed = (int32_t)(region->seed ^ word * UINT32_C(0x9e3779b1));
  breaker->number = entry->number;
  breaker->record = (busbar_record *)(void *)record;
  breaker->places = (busbar_place *)(void *)(record + shape->trials);
  breaker->stock = (int32_t *)(void *)(record + shape->stock);
  breaker->summary = (busbar_summary *)(void *)(record + shape->summary);
  breaker->head = (int32_t *)(void *)(record + shape->head);
  breaker->ring = (int32_t *)(void *)(record + shape->ring);
  breaker->ring_mask = (uint32_t)shape->ring_capacity - 1;
  breaker->lap_shift = 0;
  while ((UINT64_C(1) << breaker->lap_shift) < shape->ring_capacity) breaker->lap_shift++;
  breaker->shards = record + shape->shards;
  breaker->overflow_bytes = shape->overflow_bytes;
  breaker->shard_bytes = shape->shard_bytes;
  breaker->totals = bb_shard_of(breaker, thread->slot);
  breaker->tally = (busbar_tally *)(void *)(record + shape->tallies) + thread->slot;
  bb_take_definition(breaker, &entry->definition);
  bb_forget(breaker);
}

#endif
