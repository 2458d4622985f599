/*
 * The journal of transitions: src/protocol/journal.ts, which has the argument. The client appends
 * entries and says what it knows of them; it reads none. A call of its own is never a command, so
 * no entry of its making is "by hand" or has a reason.
 *
 * All of it is seq_cst, as in state.h: entries are compared with STATE and JOURNAL_HEAD.
 */
#ifndef BUSBAR_CLIENT_JOURNAL_H
#define BUSBAR_CLIENT_JOURNAL_H

#include "cell.h"

/*
 * Whether somebody in this thread listens to that breaker, by its number in the directory, and is
 * told by the thread itself. JavaScript alone has listeners.
 */
#ifndef BUSBAR_LISTENS_TO
#define BUSBAR_LISTENS_TO(breaker) ((void)(breaker), false)
#endif

/* Each one lost is a transition of another breaker. */
#define BB_APPEND_ATTEMPTS BUSBAR_JOURNAL_ENTRIES
/* One word: the maker's, and a listener's claim. */
#define BB_MAKER_ATTEMPTS 4

/* What makes a word one of a generation, or of an entry by its tag. */
typedef bool (*bb_is_of)(int64_t word, uint32_t of);

static inline busbar_journal_entry *bb_journal_entry(const busbar_region *region,
                                                     uint32_t number) {
  return &region->journal[number % BUSBAR_JOURNAL_ENTRIES];
}

/* The number of the next entry, or of one that is there already. */
static inline uint32_t bb_journal_head(const busbar_region *region) {
  return (uint32_t)bb_load(&region->header->journal_head);
}

/* Whether one entry came before another, by wrapped difference. */
static inline bool bb_is_before(uint32_t number, uint32_t than) {
  return (int32_t)(than - number) > 0;
}

/* Entry `number` is there. */
static inline void bb_raise_head(const busbar_region *region, uint32_t number) {
  /* ATOMIC journal.raise
   *   observes:  that every entry up to `number` is there (pairs with journal.append).
   *   publishes: where to look for the first empty place.
   *   loses to:  another raise of the same step.
   *   dies here: the next who appends or reads raises it.
   *   wraps:     at 2^32; compared by difference, and only ever moved on by one. */
  bb_cas(&region->header->journal_head, (int32_t)number, (int32_t)(number + 1));
}

/*
 * Gives the transition from the STATE word `seen` its entry, looking from `*number` on, and puts
 * the entry's number there. False where that is not known.
 */
static inline bool bb_append(const busbar_breaker *breaker, int32_t seen, const bb_key *key,
                             uint32_t *number) {
  const busbar_region *region = bb_region_of(breaker);
  bool is_published = false;
  for (int attempt = 0; attempt < BB_APPEND_ATTEMPTS; attempt++) {
    int64_t *at = &bb_journal_entry(region, *number)->key;
    uint32_t newest = bb_journal_head(region);
    int64_t found = bb_load64(at);
    if (bb_is_key_of(found, *number)) {
      bb_raise_head(region, *number);
      if (bb_is_same_key(found, key)) return true;
      *number += 1;
      continue;
    }
    if (bb_is_before(*number, newest)) {
      /* The ring has gone round meanwhile. */
      *number = newest;
      continue;
    }
    /* ATOMIC journal.append
     *   observes:  the first place without an entry of this lap, while STATE is still `seen`.
     *   publishes: the transition, to whoever reads the journal.
     *   loses to:  another entry: look whether it is this transition's, else at the next place.
     *   dies here: the transition is published by the next who wants one; its entry is there.
     *   wraps:     20 bits of lap: a late CAS needs 2^30 transitions in between.
     *   order:     seq_cst: the place is read before STATE, and taken after it. */
    if (is_published) return false;
    is_published = !bb_is_still(breaker, seen);
    /* Whoever published it appended it: look at this place again. */
    if (is_published) continue;
    if (bb_cas64(at, found, bb_pack_key(*number, key)) != found) continue;
    bb_raise_head(region, *number);
    return true;
  }
  return false;
}

/* Writes one word of entry `number`, unless it is there or the entry is no longer. */
static inline void bb_fill_entry(const busbar_journal_entry *entry, uint32_t number, int64_t *at,
                                 int64_t word, bb_is_of is_of) {
  /* ATOMIC journal.fill
   *   observes:  a word of an older entry at this place, while the entry is still there.
   *   publishes: one detail of the entry, for people.
   *   loses to:  another helper: its word is as good; a newer entry: nobody asks for this one.
   *   dies here: the entry lacks a detail; its time stands in the record's SINCE as well.
   *   order:     seq_cst: the word is read before KEY, and replaced after it. */
  int64_t old = bb_load64(at);
  if (is_of(old, bb_entry_tag(number))) return;
  if (!bb_is_key_of(bb_load64(&entry->key), number)) return;
  bb_cas64(at, old, word);
}

/* Says in entry `number` when the transition was. Anybody may. */
static inline void bb_fill_time(const busbar_breaker *breaker, uint32_t number, double since_ms) {
  busbar_journal_entry *entry = bb_journal_entry(bb_region_of(breaker), number);
  int64_t word = bb_pack_timed(bb_entry_tag(number), since_ms);
  bb_fill_entry(entry, number, &entry->time, word, bb_is_timed_of);
}

/* Says who made the transition, and whether that thread announces it: it does where it listens. */
static inline void bb_say_maker(const busbar_breaker *breaker, busbar_journal_entry *entry,
                                uint32_t number) {
  bool announces = BUSBAR_LISTENS_TO(breaker->number);
  for (int attempt = 0; attempt < BB_MAKER_ATTEMPTS; attempt++) {
    /* ATOMIC journal.maker
     *   observes:  nothing said of this entry, or a listener's claim (pairs with journal.claim).
     *   publishes: who made the transition, and whether it announces it.
     *   loses to:  a listener's claim: keep it.
     *   dies here: the maker is not known; the first listener announces.
     *   order:     seq_cst: the word is read before KEY, and replaced after it. */
    int64_t old = bb_load64(&entry->by);
    bool is_claimed = bb_is_tagged_of(old, bb_entry_tag(number));
    if (!bb_is_key_of(bb_load64(&entry->key), number)) return;
    uint64_t by = BB_PUT(BY, THREAD, breaker->thread->number) | BB_PUT(BY, CLAIMED, is_claimed) |
                  BB_PUT(BY, ANNOUNCES, announces && !is_claimed);
    int64_t word = bb_pack_tagged(bb_entry_tag(number), (uint32_t)by);
    if (bb_cas64(&entry->by, old, word) == old) return;
  }
}

/* Says in entry `number` what only the maker of the transition knows. `counts` may be NULL. */
static inline void bb_fill_maker(const busbar_breaker *breaker, uint32_t number,
                                 const bb_counts *counts) {
  busbar_journal_entry *entry = bb_journal_entry(bb_region_of(breaker), number);
  uint32_t tag = bb_entry_tag(number);
  if (counts != NULL) {
    int64_t *const at[] = {&entry->calls, &entry->failures, &entry->slow};
    const uint64_t values[] = {counts->calls, counts->failures, counts->slow_calls};
    for (int word = 0; word < 3; word++) {
      int64_t detail = bb_pack_tagged(tag, (uint32_t)values[word]);
      bb_fill_entry(entry, number, at[word], detail, bb_is_tagged_of);
    }
  }
  bb_say_maker(breaker, entry, number);
}

#endif
