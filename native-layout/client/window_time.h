/*
 * The time window, sharded: src/protocol/window-time.ts, and window-time-overflow.ts for the shard
 * that many threads write; those have the argument.
 */
#ifndef BUSBAR_CLIENT_WINDOW_TIME_H
#define BUSBAR_CLIENT_WINDOW_TIME_H

#include "cell.h"

/* Beyond this no clock tells true, and a double has no room for single buckets. */
#define BB_MAX_BUCKET_NUMBER 9007199254740992.0

static inline int64_t bb_bucket_number(const busbar_breaker *breaker, double now) {
  double number = now * (double)breaker->buckets / breaker->options.window_length;
  return number >= 0 && number < BB_MAX_BUCKET_NUMBER ? (int64_t)number : 0;
}

/* This thread's bucket of that number and generation, turned over where it must be. */
static inline busbar_bucket *bb_own_bucket(const busbar_breaker *breaker, uint32_t generation,
                                           int64_t number) {
  busbar_bucket *buckets = (busbar_bucket *)(void *)(breaker->totals + 1);
  busbar_bucket *bucket = &buckets[(uint64_t)number % breaker->buckets];
  int32_t turn = bb_pack_turn(generation, number);
  int32_t stamp = bb_stamp_of(number);
  /* Only this thread writes them: relaxed. */
  if (bb_peek(&bucket->stamp) == stamp && bb_peek(&bucket->turn) == turn) return bucket;
  /* ATOMIC time.turnOver
   *   publishes: an empty bucket of this number and generation.
   *   dies here: the stamp is away and the bucket reads as empty, until its next owner's turn.
   *   wraps:     a bucket left alone for 2^40 bucket lengths, to within the window.
   *   order:     release, each: who sees one of these words sees those before it, so a reader that
   *              saw a zero finds the stamp gone when it looks again. */
  bb_store_release(&bucket->stamp, BUSBAR_TURNING);
  for (int kind = 0; kind < BUSBAR_KINDS; kind++) {
    bb_store_release((int32_t *)&bucket->kinds[kind], 0);
  }
  bb_store_release(&bucket->turn, turn);
  bb_store_release(&bucket->stamp, stamp);
  return bucket;
}

static inline void bb_count_in_bucket(uint32_t *counter) {
  /* ATOMIC time.record
   *   observes:  our own bucket: nobody else writes it, so a load and a store add one.
   *   publishes: one outcome more of this kind.
   *   dies here: the outcome is in the window or it is not.
   *   order:     release: who sees it sees the bucket turned over, and our good outcomes before it.
   *              Who is told of this call, or meets it in the stock, was released to after this. */
  bb_count32(counter);
}

static inline uint32_t bb_read_kind(const busbar_bucket *bucket, uint32_t kind) {
  return (uint32_t)bb_load_acquire((const int32_t *)&bucket->kinds[kind]);
}

static inline void bb_sum_bucket(const busbar_breaker *breaker, const busbar_bucket *bucket,
                                 uint32_t generation, int64_t number, bb_counts *into) {
  /* ATOMIC time.read
   *   observes: one bucket as its owner left it (pairs with time.turnOver, time.record).
   *   loses to: a turn-over: the bucket is dropped, as it would have been a moment later.
   *   order:    acquire, each: the second look at stamp and turn stays behind the counters. What a
   *             sum must not miss was released to it: stock.spend, stock.read. */
  int32_t stamp = bb_load_acquire(&bucket->stamp);
  int64_t age = bb_age_of_stamp(stamp, number);
  int64_t buckets = breaker->buckets;
  if (stamp == BUSBAR_TURNING || !(age < buckets && age > -buckets)) return;
  int32_t turn = bb_pack_turn(generation, number - age);
  if (bb_load_acquire(&bucket->turn) != turn) return;
  uint32_t kinds[BUSBAR_KINDS];
  for (uint32_t kind = 0; kind < BUSBAR_KINDS; kind++) kinds[kind] = bb_read_kind(bucket, kind);
  if (bb_load_acquire(&bucket->stamp) != stamp) return;
  if (bb_load_acquire(&bucket->turn) != turn) return;
  for (uint32_t kind = 0; kind < BUSBAR_KINDS; kind++) bb_add_kind(into, kind, kinds[kind]);
}

/* ---- the overflow shard: rare, and all seq_cst ----------------------------------------------- */

/* Each one lost is an outcome of another thread. */
#define BB_OVERFLOW_ATTEMPTS 65536
/* Ahead of our clock by more buckets than this is so far behind that it wrapped. */
#define BB_FAR_AHEAD (INT64_C(1) << 30)

static inline busbar_overflow_bucket *bb_overflow_buckets(const busbar_breaker *breaker) {
  return (busbar_overflow_bucket *)(void *)(bb_shard_of(breaker, BUSBAR_OVERFLOW_SLOT) + 1);
}

/* Moves the bucket on to this epoch. False when it is past it: the outcome has left the window. */
static inline bool bb_enter_epoch(const busbar_breaker *breaker, busbar_overflow_bucket *bucket,
                                  int64_t epoch, uint32_t generation, int64_t number) {
  /* ATOMIC overflow.enter
   *   observes:  this epoch, an older one or a later one.
   *   publishes: that the counters of older epochs are over.
   *   loses to:  another writer; the caller looks again.
   *   dies here: an epoch without outcomes.
   *   wraps:     36 bits of bucket number: 2 years of silence at 1 ms a bucket. */
  int64_t found = bb_load64(&bucket->epoch);
  if (found == epoch) return true;
  int64_t age = bb_age_of_epoch(found, number);
  bool is_ours = BB_GET(EPOCH, GENERATION, found) == generation;
  if (is_ours && age < 0 && age > -BB_FAR_AHEAD) return false;
  /* Another generation's epoch is an older one's, however old, unless STATE has moved. */
  if (bb_generation_of(bb_seen(breaker)) != generation) return false;
  bb_cas64(&bucket->epoch, found, epoch);
  return true;
}

static inline void bb_record_overflow(const busbar_breaker *breaker, uint32_t generation,
                                      int64_t number, uint32_t kind) {
  uint64_t index = (uint64_t)number % breaker->buckets;
  busbar_overflow_bucket *bucket = &bb_overflow_buckets(breaker)[index];
  int64_t epoch = bb_pack_epoch(generation, number);
  uint32_t hash = bb_hash_of_epoch(epoch);
  for (int attempt = 0; attempt < BB_OVERFLOW_ATTEMPTS; attempt++) {
    if (!bb_enter_epoch(breaker, bucket, epoch, generation, number)) return;
    /* ATOMIC overflow.count
     *   observes:  a counter of this epoch, or of an older one, while the epoch is ours.
     *   publishes: one outcome more of this kind.
     *   loses to:  another writer: try again, at the bound the outcome stays out of the window.
     *   dies here: the outcome is in the window or it is not.
     *   wraps:     a counter of an older epoch with the same 32-bit hash. */
    int64_t found = bb_load64(&bucket->kinds[kind]);
    if (bb_load64(&bucket->epoch) != epoch) continue;
    bool is_ours = BB_GET(TAGGED, TAG, found) == hash;
    uint32_t count = is_ours ? (uint32_t)BB_GET(TAGGED, VALUE, found) + 1 : 1;
    if (bb_cas64(&bucket->kinds[kind], found, bb_pack_tagged(hash, count)) == found) return;
  }
}

static inline void bb_sum_overflow(const busbar_breaker *breaker, uint32_t generation,
                                   int64_t number, bb_counts *into) {
  int64_t buckets = breaker->buckets;
  for (int64_t index = 0; index < buckets; index++) {
    /* ATOMIC overflow.read
     *   observes: an epoch, then its counters; those of a later one read as empty. */
    const busbar_overflow_bucket *bucket = &bb_overflow_buckets(breaker)[index];
    int64_t epoch = bb_load64(&bucket->epoch);
    int64_t age = bb_age_of_epoch(epoch, number);
    if (BB_GET(EPOCH, GENERATION, epoch) != generation) continue;
    if (!(age < buckets && age > -buckets)) continue;
    uint32_t hash = bb_hash_of_epoch(epoch);
    for (uint32_t kind = 0; kind < BUSBAR_KINDS; kind++) {
      int64_t counter = bb_load64(&bucket->kinds[kind]);
      if (BB_GET(TAGGED, TAG, counter) != hash) continue;
      bb_add_kind(into, kind, BB_GET(TAGGED, VALUE, counter));
    }
  }
}

/* What the window holds for `generation` at time `now`. */
static inline void bb_sum_time(const busbar_breaker *breaker, uint32_t generation, double now,
                               bb_counts *into) {
  const busbar_region *region = bb_region_of(breaker);
  int64_t number = bb_bucket_number(breaker, now);
  int32_t slots = bb_slots_in_use(region);
  for (int32_t slot = 1; slot <= slots; slot++) {
    const busbar_bucket *buckets = bb_buckets_of(breaker, slot);
    for (uint32_t index = 0; index < breaker->buckets; index++) {
      bb_sum_bucket(breaker, &buckets[index], generation, number, into);
    }
  }
  if (bb_load_acquire(&region->header->overflow_used) != 0) {
    bb_sum_overflow(breaker, generation, number, into);
  }
}

#endif
