/*
 * A region: what src/memory/region.ts and layout.ts know. Attaching checks everything that bounds a
 * loop or an offset later, once, and keeps it: numbers in shared memory are not trusted again.
 */
#ifndef BUSBAR_CLIENT_REGION_H
#define BUSBAR_CLIENT_REGION_H

#include <stddef.h>

#include "atomic.h"
#include "words.h"

/* What a call that can fail answers; busbar_status_text says it in words. */
typedef enum {
  BUSBAR_OK = 0,
  BUSBAR_NOT_ALIGNED,
  BUSBAR_TOO_SMALL,
  BUSBAR_NO_REGION,
  BUSBAR_OTHER_VERSION,
  BUSBAR_OTHER_SIZE,
  BUSBAR_DAMAGED_HEADER,
  BUSBAR_DAMAGED_DIRECTORY,
  BUSBAR_NOT_FOUND,
  BUSBAR_BAD_NAME,
  BUSBAR_COUNTS_HANGING,
} busbar_status;

static inline const char *busbar_status_text(busbar_status status) {
  switch (status) {
    case BUSBAR_OK: return "ok";
    case BUSBAR_NOT_ALIGNED: return "the memory does not start at a multiple of 8 bytes";
    case BUSBAR_TOO_SMALL: return "the memory is too small to be a region";
    case BUSBAR_NO_REGION: return "not a busbar region, or its making was not finished";
    case BUSBAR_OTHER_VERSION: return "the region has another layout version than this client";
    case BUSBAR_OTHER_SIZE: return "the region's header says that it is longer than the memory";
    case BUSBAR_DAMAGED_HEADER: return "the region's clock, keeper or default options are damaged";
    case BUSBAR_DAMAGED_DIRECTORY: return "an entry of the region's directory is damaged";
    case BUSBAR_NOT_FOUND: return "there is no circuit breaker of that name";
    case BUSBAR_BAD_NAME: return "a name has 1 to 255 bytes of UTF-8";
    case BUSBAR_COUNTS_HANGING: return "the breaker counts hanging calls, which this client cannot";
  }
  return "no such status";
}

/* Made by busbar_attach; nothing in it changes. Any number of threads may use one. */
typedef struct {
  uint8_t *base;
  busbar_header *header;
  int64_t *threads;
  busbar_journal_entry *journal;
  int64_t *directory;
  busbar_definition *definitions;
  uint8_t *arena;
  int64_t max_breakers;
  int64_t definition_count;
  int64_t arena_lines;
  int64_t max_controls;
  int64_t control_lines;
  int32_t max_threads;
  uint32_t seed;
  bool manual_clock;
  double origin_ms;
  double tick_ms;
} busbar_region;

static inline uint64_t bb_to_line(uint64_t bytes) {
  return (bytes + BUSBAR_LINE_BYTES - 1) / BUSBAR_LINE_BYTES * BUSBAR_LINE_BYTES;
}

/* ---- options --------------------------------------------------------------------------------- */

#define BB_TEN_YEARS_MS 315360000000.0
#define BB_MAX_BUCKETS 1024
#define BB_MAX_SIZE 16384
#define BB_MAX_CALLS 1000000

/* Checks in the positive form: they refuse NaN. */
static inline bool bb_is_within(double value, double low, double high) {
  return value >= low && value <= high;
}

static inline bool bb_is_whole(double value, double low, double high) {
  return bb_is_within(value, low, high) && value == (double)(int64_t)value;
}

static inline bool bb_is_rate(double value) { return value > 0 && value <= 1; }

static inline bool bb_is_positive_duration(double value) {
  return value > 0 && value <= BB_TEN_YEARS_MS;
}

static inline bool bb_is_window(const busbar_options *options) {
  double length = options->window_length;
  if (options->window == BUSBAR_WINDOW_TIME) {
    return bb_is_positive_duration(length) && bb_is_whole(options->buckets, 1, BB_MAX_BUCKETS) &&
           length >= options->buckets;
  }
  if (options->window == BUSBAR_WINDOW_COUNT) return bb_is_whole(length, 1, BB_MAX_SIZE);
  return options->window == BUSBAR_WINDOW_CONSECUTIVE && bb_is_whole(length, 1, BUSBAR_MAX_ROW);
}

/* Calls that hang are slow calls of a time window. */
static inline bool bb_is_hanging_sound(const busbar_options *options) {
  return options->hanging == 0 ||
         (options->hanging == 1 && options->window == BUSBAR_WINDOW_TIME &&
          options->slow_duration_ms < bb_infinity());
}

static inline bool bb_are_sound(const busbar_options *options) {
  return bb_is_window(options) && bb_is_rate(options->failure_rate) &&
         bb_is_whole(options->minimum_calls, 1, BB_MAX_CALLS) &&
         (bb_is_within(options->slow_duration_ms, 0, BB_TEN_YEARS_MS) ||
          options->slow_duration_ms == bb_infinity()) &&
         bb_is_rate(options->slow_rate) &&
         bb_is_within(options->wait_initial_ms, 0, BB_TEN_YEARS_MS) &&
         bb_is_within(options->wait_multiplier, 1, 1000) &&
         bb_is_within(options->wait_max_ms, 0, BB_TEN_YEARS_MS) &&
         bb_is_within(options->wait_jitter, 0, 1) &&
         bb_is_whole(options->trials, 1, BUSBAR_MAX_TRIALS) &&
         (bb_is_rate(options->trial_failure_rate) || options->trial_failure_rate == 0) &&
         bb_is_positive_duration(options->trial_timeout_ms) && bb_is_hanging_sound(options);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Offsets of one breaker's record, in bytes from its start. */
typedef struct {
  uint64_t trials;
  uint64_t stock;
  uint64_t summary;
  uint64_t head;
  uint64_t ring;
  uint64_t ring_capacity; /* a power of two, or 0 */
  uint64_t shards;
  uint64_t overflow_bytes;
  uint64_t shard_bytes;
  uint64_t tallies;
  uint64_t lines; /* the whole record */
} bb_shape;

static inline bb_shape bb_shape_of(const busbar_options *options, int32_t max_threads) {
  bb_shape shape;
  uint64_t buckets = options->window == BUSBAR_WINDOW_TIME ? (uint64_t)options->buckets : 0;
  shape.ring_capacity = 0;
  if (options->window == BUSBAR_WINDOW_COUNT) {
    uint64_t room = (uint64_t)options->window_length + BUSBAR_SPARE_OUTCOMES;
    shape.ring_capacity = 1;
    while (shape.ring_capacity < room) shape.ring_capacity *= 2;
  }
  shape.trials = sizeof(busbar_record);
  shape.stock = shape.trials + bb_to_line(BUSBAR_MAX_TRIALS * sizeof(busbar_place));
  shape.summary = shape.stock + BUSBAR_LINE_BYTES;
  shape.head = shape.summary + BUSBAR_LINE_BYTES;
  shape.ring = shape.head + BUSBAR_LINE_BYTES;
  shape.shards = shape.ring + bb_to_line(shape.ring_capacity * sizeof(int32_t));
  uint64_t age_bytes = 0;
  if (options->hanging != 0) {
    age_bytes = sizeof(busbar_hung) + BUSBAR_AGE_BUCKETS * sizeof(busbar_age_bucket);
  }
  shape.shard_bytes =
      bb_to_line(sizeof(busbar_totals) + buckets * sizeof(busbar_bucket) + age_bytes);
  shape.overflow_bytes =
      bb_to_line(sizeof(busbar_totals) + buckets * sizeof(busbar_overflow_bucket));
  shape.tallies =
      shape.shards + shape.overflow_bytes + (uint64_t)max_threads * shape.shard_bytes;
  uint64_t bytes = shape.tallies + ((uint64_t)max_threads + 1) * sizeof(busbar_tally);
  shape.lines = bytes / BUSBAR_LINE_BYTES;
  return shape;
}

/* How long a directory is with what is being made, its definitions and its arena. */
static inline uint64_t bb_area_bytes(int64_t entries, int64_t definitions, int64_t lines) {
  return sizeof(busbar_making) + bb_to_line((uint64_t)entries * sizeof(int64_t)) +
         (uint64_t)definitions * sizeof(busbar_definition) + (uint64_t)lines * BUSBAR_LINE_BYTES;
}

/*
 * Fills in where the parts stand; returns the length that the region must have. The client has no
 * use for controls: of their part it needs to know the length alone.
 */
static inline uint64_t bb_place_parts(busbar_region *region) {
  uint64_t at = sizeof(busbar_header) + bb_to_line(sizeof(busbar_options));
  region->threads = (int64_t *)(void *)(region->base + at);
  uint64_t slots = (uint64_t)region->max_threads + 1;
  at += bb_to_line(slots * sizeof(int64_t)) + slots * sizeof(busbar_presence);
  region->journal = (busbar_journal_entry *)(void *)(region->base + at);
  at += BUSBAR_JOURNAL_ENTRIES * sizeof(busbar_journal_entry) + sizeof(busbar_making);
  region->directory = (int64_t *)(void *)(region->base + at);
  at += bb_to_line((uint64_t)region->max_breakers * sizeof(int64_t));
  region->definitions = (busbar_definition *)(void *)(region->base + at);
  region->definition_count = region->max_breakers + region->max_threads + BUSBAR_SPARE_DEFINITIONS;
  at += (uint64_t)region->definition_count * sizeof(busbar_definition);
  region->arena = region->base + at;
  at += (uint64_t)region->arena_lines * BUSBAR_LINE_BYTES;
  int64_t controls = region->max_controls + region->max_threads + BUSBAR_SPARE_DEFINITIONS;
  return at + bb_area_bytes(region->max_controls, controls, region->control_lines);
}

/* Fills in what the clock goes by, each word read once, and then checked. */
static inline bool bb_read_clock(busbar_region *region) {
  const busbar_header *header = region->header;
  int32_t clock = header->clock;
  region->manual_clock = clock == BUSBAR_CLOCK_MANUAL;
  region->origin_ms = header->origin_ms;
  region->tick_ms = header->tick_ms;
  return (clock == BUSBAR_CLOCK_MONOTONIC || clock == BUSBAR_CLOCK_MANUAL) &&
         region->origin_ms - region->origin_ms == 0 && /* finite */
         (region->tick_ms == 0 || bb_is_whole(region->tick_ms, 1, 1000));
}

/* The client has no use for the defaults; it refuses what JavaScript refuses. */
static inline bool bb_are_defaults_sound(const busbar_region *region) {
  const busbar_options *defaults =
      (const busbar_options *)(const void *)(region->base + sizeof(busbar_header));
  double timeout_ms = region->header->default_timeout_ms;
  return bb_is_within(timeout_ms, 0, 2147483647) && bb_are_sound(defaults);
}

/* As busbar_attach, also at address 0, where a WebAssembly memory may begin with a region. */
static inline busbar_status bb_attach(busbar_region *region, void *memory, uint64_t bytes) {
  if ((uintptr_t)memory % sizeof(int64_t) != 0) return BUSBAR_NOT_ALIGNED;
  if (bytes < sizeof(busbar_header)) return BUSBAR_TOO_SMALL;
  region->base = (uint8_t *)memory;
  busbar_header *header = region->header = (busbar_header *)memory;
  /* ATOMIC region.attach
   *   observes: region.publish: with the magic there, all that was written before it is there.
   *   order:    acquire: pairs with the maker's store; nothing is written here. */
  if (bb_load_acquire(&header->magic) != BUSBAR_MAGIC) return BUSBAR_NO_REGION;
  if (header->version != BUSBAR_LAYOUT_VERSION) return BUSBAR_OTHER_VERSION;
  region->max_breakers = header->max_breakers;
  region->max_threads = header->max_threads;
  region->arena_lines = header->arena_lines;
  region->max_controls = header->max_controls;
  region->control_lines = header->control_lines;
  bool sane = region->max_breakers >= 1 && region->max_threads >= 1 &&
              region->max_threads <= BUSBAR_MAX_THREADS && region->arena_lines >= 1 &&
              region->max_controls >= 1 && region->control_lines >= 1;
  if (!sane || bb_place_parts(region) > bytes) return BUSBAR_OTHER_SIZE;
  if (!bb_read_clock(region) || !bb_are_defaults_sound(region)) return BUSBAR_DAMAGED_HEADER;
  region->seed = (uint32_t)header->seed[0];
  return BUSBAR_OK;
}

/*
 * Checks `bytes` bytes at `memory` (those of a registry's `handle.buffer`, or more) and fills in
 * `region`. They must stay where they are for as long as `region` is used. Cost: a microsecond.
 */
static inline busbar_status busbar_attach(busbar_region *region, void *memory, uint64_t bytes) {
  return memory == NULL ? BUSBAR_TOO_SMALL : bb_attach(region, memory, bytes);
}

/* A word held something that no thread of this version writes. */
typedef enum {
  BB_DAMAGED_STATE,
  BB_DAMAGED_WAIT,
  BB_DAMAGED_LEASE,
  BB_DAMAGED_DIRECTORY,
} bb_damage;

/* Counts it; the call goes on. Define BUSBAR_ON_DAMAGE(what) to do something else instead. */
static inline void bb_report_damage(const busbar_region *region, bb_damage what) {
#ifdef BUSBAR_ON_DAMAGE
  (void)region;
  BUSBAR_ON_DAMAGE(what);
#else
  (void)what;
  /* ATOMIC cell.damaged
   *   publishes: one damaged word more, for people. */
  bb_add(&region->header->damaged, 1);
#endif
}

#endif
