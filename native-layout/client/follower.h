/*
 * How a thread keeps up with a breaker: src/protocol/follower.ts, and removal.ts. It may be given
 * other options, and it may be removed and its record become another's: both change its entry in
 * the directory, and the edition that STATE says. So who meets a STATE word of another edition than
 * it knows, or one that says removed, looks at the entry before it acts.
 */
#ifndef BUSBAR_CLIENT_FOLLOWER_H
#define BUSBAR_CLIENT_FOLLOWER_H

#include "state.h"

/* Each one lost is a transition or another edition. */
#define BB_RAISE_ATTEMPTS 64

/* Brings the edition that STATE says up to the entry's. */
static inline void bb_raise_edition(const busbar_breaker *breaker) {
  const int64_t *entry = &bb_region_of(breaker)->directory[breaker->number];
  for (int attempt = 0; attempt < BB_RAISE_ATTEMPTS; attempt++) {
    /* ATOMIC edition.raise
     *   observes:  a STATE word of an older edition than the entry (pairs with directory.replace).
     *   publishes: to all who meet the word that there are other options, or another breaker.
     *   loses to:  a transition or another raise: look again, at the bound the next one does.
     *   dies here: who looks at the entry next raises it; until then others go by what they know.
     *   wraps:     6 bits of edition: who sleeps through 64 of them and no transition.
     *   order:     seq_cst: STATE is read before the entry, so the entry is not behind it. */
    int32_t seen = bb_seen(breaker);
    int32_t raised = bb_with_edition(seen, BB_GET(ENTRY, EDITION, bb_load64(entry)));
    if (raised == seen || bb_cas(&breaker->record->state, seen, raised) == seen) return;
  }
}

static inline void bb_clear(const busbar_breaker *breaker, int32_t seen, int64_t *counters,
                            uint64_t count) {
  for (uint64_t at = 0; at < count; at++) {
    /* ATOMIC removal.clear
     *   observes:  a counter of the shared slot while the record is nobody's.
     *   publishes: that the new breaker has counted nothing there.
     *   loses to:  another helper.
     *   dies here: the next helper goes on. */
    int64_t old = bb_load64(&counters[at]);
    if (old == 0) continue;
    if (bb_seen(breaker) != seen) return;
    bb_cas64(&counters[at], old, 0);
  }
}

/* Begins a breaker that was made in a record which another had before. */
static inline void bb_begin_breaker(const busbar_breaker *breaker) {
  int32_t seen = bb_seen(breaker);
  if (!bb_is_to_begin(seen, breaker->first)) return;
  if (bb_load(&bb_region_of(breaker)->header->overflow_used) != 0) {
    busbar_totals *totals = bb_shard_of(breaker, BUSBAR_OVERFLOW_SLOT);
    busbar_tally *tally = breaker->tally - breaker->thread->slot;
    bb_clear(breaker, seen, (int64_t *)(void *)totals, sizeof *totals / sizeof(int64_t));
    bb_clear(breaker, seen, (int64_t *)(void *)tally,
             offsetof(busbar_tally, used_ms) / sizeof(int64_t));
  }
  bb_transition(breaker, seen, BUSBAR_CLOSED, breaker->created_ms, NULL);
}

/* Empties the counters of the thread's own slot where they are an earlier breaker's. */
static inline void bb_take_counters(const busbar_breaker *breaker) {
  if (bb_is_counted_for(breaker)) return;
  busbar_tally *tally = breaker->tally;
  bb_zero64((int64_t *)(void *)breaker->totals, sizeof(busbar_totals) / sizeof(int64_t));
  bb_zero64((int64_t *)(void *)tally, offsetof(busbar_tally, first) / sizeof(int64_t));
  /* ATOMIC removal.take
   *   publishes: that these counters are empty and this breaker's.
   *   dies here: before the store they count for nobody.
   *   order:     release: who sees it sees them empty. */
  bb_store_release(&tally->first, breaker->first);
}

/*
 * Looks the breaker up: true when it is there, with the options that are in force; false when it is
 * gone. The kernel leaves that to JavaScript, which says what it has found.
 */
static inline bool bb_look_again(busbar_breaker *breaker) {
#ifdef BUSBAR_LOOKS_ELSEWHERE
  (void)breaker;
  return false;
#else
  const busbar_region *region = bb_region_of(breaker);
  uint64_t lines = (uint64_t)((uint8_t *)breaker->record - region->arena) / BUSBAR_LINE_BYTES;
  bb_entry entry;
  if (bb_read_entry(region, breaker->number, lines, &entry) != BUSBAR_OK) {
    bb_report_damage(region, BB_DAMAGED_DIRECTORY);
    return false;
  }
  const busbar_definition *definition = &entry.definition;
  bool is_it = definition->first == breaker->first && definition->options.hanging == 0;
  if (!is_it || bb_is_vacant(&entry)) return false;
  if (entry.word != breaker->word) bb_fill_in(breaker, breaker->thread, &entry);
  bb_begin_breaker(breaker);
  bb_raise_edition(breaker);
  return true;
#endif
}

#endif
