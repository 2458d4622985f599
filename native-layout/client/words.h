/*
 * What stands in the packed words, as src/memory/words/ has it. Pure functions, no memory. The
 * fields' places come from busbar_layout.h, which is generated.
 */
#ifndef BUSBAR_CLIENT_WORDS_H
#define BUSBAR_CLIENT_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "../busbar_layout.h"

#define BB_MASK(W, F) ((UINT64_C(1) << BUSBAR_##W##_##F##_BITS) - 1)
/* Field F of a word W, and a value cut to the field and put in its place. */
#define BB_GET(W, F, word) (((uint64_t)(word) >> BUSBAR_##W##_##F##_SHIFT) & BB_MASK(W, F))
#define BB_PUT(W, F, value) (((uint64_t)(value) & BB_MASK(W, F)) << BUSBAR_##W##_##F##_SHIFT)
#define BB_TAKES(W, F, value) ((uint64_t)(value) & BB_MASK(W, F))

/* ---- times: whole microseconds; the greatest stands for "for ever" --------------------------- */

/* A time before the region was made, which only a damaged clock tells, is stored as 0. */
static inline uint64_t bb_micros(double ms) {
  double micros = ms * 1000 + 0.5;
  if (micros < 0) return 0;
  return micros < (double)BB_MASK(TIMED, TIME) ? (uint64_t)micros : BB_MASK(TIMED, TIME);
}

static inline double bb_infinity(void) { return __builtin_inf(); }

/* The time in ms that stands in a NEXT or a TIMED word. */
static inline double bb_time_of(int64_t word) {
  uint64_t micros = BB_GET(TIMED, TIME, word);
  return micros == BB_MASK(TIMED, TIME) ? bb_infinity() : (double)micros / 1000;
}

/* ---- STATE, NEXT ----------------------------------------------------------------------------- */

/* The breaker is gone; the next generation of its record is another's. No state that users see. */
#define BB_REMOVED 6u

/* `edition`: any number of which the low bits are the edition's. */
static inline int32_t bb_pack_state(uint32_t generation, uint32_t state, uint64_t edition) {
  return (int32_t)(BB_PUT(STATE, GENERATION, generation) | BB_PUT(STATE, EDITION, edition) |
                   BB_PUT(STATE, STATE, state));
}

static inline uint32_t bb_generation_of(int32_t seen) {
  return (uint32_t)BB_GET(STATE, GENERATION, (uint32_t)seen);
}

static inline uint32_t bb_state_of(int32_t seen) {
  return (uint32_t)BB_GET(STATE, STATE, (uint32_t)seen);
}

/* The low bits of the entry's edition. */
static inline uint32_t bb_edition_of(int32_t seen) {
  return (uint32_t)BB_GET(STATE, EDITION, (uint32_t)seen);
}

/* The same word with another edition. */
static inline int32_t bb_with_edition(int32_t seen, uint64_t edition) {
  uint32_t rest = (uint32_t)seen & ~(uint32_t)BB_PUT(STATE, EDITION, ~UINT64_C(0));
  return (int32_t)(rest | (uint32_t)BB_PUT(STATE, EDITION, edition));
}

static inline uint32_t bb_next_generation(uint32_t generation) {
  return (uint32_t)BB_TAKES(STATE, GENERATION, generation + 1);
}

/* Whether one generation came after another, to within half of all. */
static inline bool bb_is_later(uint32_t generation, uint32_t than) {
  uint64_t ahead = BB_TAKES(STATE, GENERATION, generation - than);
  return ahead > 0 && ahead < UINT64_C(1) << (BUSBAR_STATE_GENERATION_BITS - 1);
}

static inline int64_t bb_pack_next(uint32_t generation, uint32_t state, double time_ms) {
  return (int64_t)(BB_PUT(NEXT, TAG, generation) | BB_PUT(NEXT, STATE, state) |
                   BB_PUT(NEXT, TIME, bb_micros(time_ms)));
}

static inline bool bb_is_next_of(int64_t word, uint32_t generation) {
  return BB_GET(NEXT, TAG, word) == BB_TAKES(NEXT, TAG, generation);
}

/* ---- TIMED and TAGGED ------------------------------------------------------------------------ */

static inline int64_t bb_pack_timed(uint32_t tag, double time_ms) {
  return (int64_t)(BB_PUT(TIMED, TAG, tag) | BB_PUT(TIMED, TIME, bb_micros(time_ms)));
}

static inline bool bb_is_timed_of(int64_t word, uint32_t tag) {
  return BB_GET(TIMED, TAG, word) == BB_TAKES(TIMED, TAG, tag);
}

static inline int64_t bb_pack_tagged(uint32_t tag, uint32_t value) {
  return (int64_t)(BB_PUT(TAGGED, TAG, tag) | BB_PUT(TAGGED, VALUE, value));
}

static inline bool bb_is_tagged_of(int64_t word, uint32_t tag) {
  return BB_GET(TAGGED, TAG, word) == tag;
}

/* Tags of 32 bits start at 1: memory that nobody wrote belongs to no generation. */
static inline bool bb_is_detail_of(int64_t word, uint32_t generation) {
  return bb_is_tagged_of(word, generation + 1);
}

/* ---- the journal ----------------------------------------------------------------------------- */

/* A transition as its KEY says it. */
typedef struct {
  uint32_t breaker; /* its number in the directory */
  uint32_t generation; /* the one that it began */
  uint32_t from;
  uint32_t to;
} bb_key;

static inline int64_t bb_pack_key(uint32_t number, const bb_key *key) {
  return (int64_t)(BB_PUT(KEY, LAP, number / BUSBAR_JOURNAL_ENTRIES + 1) |
                   BB_PUT(KEY, BREAKER, key->breaker) |
                   BB_PUT(KEY, GENERATION, key->generation) | BB_PUT(KEY, FROM, key->from) |
                   BB_PUT(KEY, TO, key->to));
}

/* Whether the word at entry `number`'s place is that entry's. Nobody has written 0. */
static inline bool bb_is_key_of(int64_t word, uint32_t number) {
  return word != 0 &&
         BB_GET(KEY, LAP, word) == BB_TAKES(KEY, LAP, number / BUSBAR_JOURNAL_ENTRIES + 1);
}

static inline bool bb_is_same_key(int64_t word, const bb_key *key) {
  return BB_GET(KEY, BREAKER, word) == key->breaker &&
         BB_GET(KEY, GENERATION, word) == key->generation;
}

/* The tag of an entry's other words. */
static inline uint32_t bb_entry_tag(uint32_t number) { return number + 1; }

/* ---- trial places and permits ---------------------------------------------------------------- */

static inline int64_t bb_pack_place(uint32_t generation, uint32_t kind, uint32_t claim,
                                    uint32_t slot) {
  return (int64_t)(BB_PUT(PLACE, GENERATION, generation) | BB_PUT(PLACE, KIND, kind) |
                   BB_PUT(PLACE, CLAIM, claim) | BB_PUT(PLACE, SLOT, slot));
}

static inline int64_t bb_pack_permit(uint32_t generation, uint32_t place, uint32_t claim) {
  return BUSBAR_FIRST_TRIAL_PERMIT +
         (int64_t)(BB_PUT(PERMIT, CLAIM, claim) | BB_PUT(PERMIT, PLACE, place) |
                   BB_PUT(PERMIT, GENERATION, generation));
}

/* ---- slots ----------------------------------------------------------------------------------- */

static inline bool bb_is_live(int64_t word) { return BB_GET(THREAD, LIVE, word) != 0; }

/* ---- windows --------------------------------------------------------------------------------- */

/* The word that follows `old` with `left` outcomes to go. */
static inline int32_t bb_restock(int32_t old, int32_t left, bool holds_minimum) {
  uint64_t version = BB_GET(STOCK, VERSION, (uint32_t)old) + 1;
  uint64_t word = BB_PUT(STOCK, VERSION, version) | BB_PUT(STOCK, MINIMUM, holds_minimum) |
                  BB_PUT(STOCK, LEFT, left + BUSBAR_STOCK_BIAS);
  return (int32_t)(uint32_t)word;
}

static inline int32_t bb_stock_of(int32_t word) {
  return (int32_t)BB_GET(STOCK, LEFT, (uint32_t)word) - BUSBAR_STOCK_BIAS;
}

static inline bool bb_holds_minimum(int32_t word) {
  return BB_GET(STOCK, MINIMUM, (uint32_t)word) != 0;
}

static inline bool bb_is_same_stock(int32_t a, int32_t b) {
  return BB_GET(STOCK, VERSION, (uint32_t)a) == BB_GET(STOCK, VERSION, (uint32_t)b);
}

static inline int32_t bb_pack_ring(uint32_t generation, uint32_t lap, uint32_t kind) {
  return (int32_t)(uint32_t)(BB_PUT(RING, GENERATION, generation) | BB_PUT(RING, LAP, lap) |
                             BB_PUT(RING, OUTCOME, kind + 1));
}

/* The kind of the outcome if the word holds one of this generation and lap, else -1. */
static inline int32_t bb_ring_kind_of(int32_t word, uint32_t generation, uint32_t lap) {
  uint32_t found = (uint32_t)word >> BUSBAR_RING_OUTCOME_BITS;
  uint32_t wanted = (uint32_t)bb_pack_ring(generation, lap, 0) >> BUSBAR_RING_OUTCOME_BITS;
  return found == wanted ? (int32_t)BB_GET(RING, OUTCOME, (uint32_t)word) - 1 : -1;
}

/* Whether the word holds an outcome of the lap before `lap`, of whatever generation. */
static inline bool bb_is_of_lap_before(int32_t word, uint32_t lap) {
  return BB_GET(RING, OUTCOME, (uint32_t)word) != 0 &&
         BB_GET(RING, LAP, (uint32_t)word) == BB_TAKES(RING, LAP, lap - 1);
}

static inline int32_t bb_pack_row(uint32_t generation, uint32_t failures) {
  return (int32_t)(uint32_t)(BB_PUT(ROW, GENERATION, generation) |
                             BB_PUT(ROW, FAILURES, failures));
}

/* Failures in a row, 0 when the word is of another generation. */
static inline uint32_t bb_row_of(int32_t word, uint32_t generation) {
  bool is_of = BB_GET(ROW, GENERATION, (uint32_t)word) == BB_TAKES(ROW, GENERATION, generation);
  return is_of ? (uint32_t)BB_GET(ROW, FAILURES, (uint32_t)word) : 0;
}

/* Stamps are bucket numbers of 30 bits: the sign is for BUSBAR_TURNING. */
#define BB_STAMP_BITS 30

static inline int32_t bb_stamp_of(int64_t number) {
  return (int32_t)(number & ((INT64_C(1) << BB_STAMP_BITS) - 1));
}

/* a - b, both of `bits` bits, in [-2^(bits-1), 2^(bits-1)). */
static inline int64_t bb_wrapped_difference(int64_t a, int64_t b, int bits) {
  return (int64_t)((uint64_t)(a - b) << (64 - bits)) >> (64 - bits);
}

/* How many buckets ago `stamp` was, seen from `number`; negative: it is still to come. */
static inline int64_t bb_age_of_stamp(int32_t stamp, int64_t number) {
  return bb_wrapped_difference(bb_stamp_of(number), stamp, BB_STAMP_BITS);
}

static inline int32_t bb_pack_turn(uint32_t generation, int64_t number) {
  return (int32_t)(uint32_t)(BB_PUT(TURN, NUMBER, number >> BB_STAMP_BITS) |
                             BB_PUT(TURN, GENERATION, generation));
}

static inline int64_t bb_pack_epoch(uint32_t generation, int64_t number) {
  return (int64_t)(BB_PUT(EPOCH, GENERATION, generation) | BB_PUT(EPOCH, NUMBER, number));
}

static inline int64_t bb_age_of_epoch(int64_t epoch, int64_t number) {
  return bb_wrapped_difference((int64_t)BB_TAKES(EPOCH, NUMBER, number),
                               (int64_t)BB_GET(EPOCH, NUMBER, epoch), BUSBAR_EPOCH_NUMBER_BITS);
}

/* 32 bits that stand for an epoch in its counters' tags. Two steps of MurmurHash3. */
static inline uint32_t bb_hash_of_epoch(int64_t epoch) {
  uint32_t hash = (uint32_t)epoch * UINT32_C(0xcc9e2d51);
  hash = ((hash << 15) | (hash >> 17)) * UINT32_C(0x1b873593);
  hash ^= (uint32_t)((uint64_t)epoch >> 32) * UINT32_C(0x85ebca6b);
  return (hash << 13) | (hash >> 19);
}

#endif
