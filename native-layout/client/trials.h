/*
 * Trials of a half-open breaker: src/protocol/trials.ts, which has the argument. All seq_cst: a
 * claim writes its place and then looks at STATE, so both sides need the one order.
 */
#ifndef BUSBAR_CLIENT_TRIALS_H
#define BUSBAR_CLIENT_TRIALS_H

#include "state.h"

#define BUSBAR_REFUSED INT64_C(-1)
/* `bb_claim_trial` answers this when STATE has moved: look at it again. */
#define BB_MOVED INT64_C(-2)

/* Each one lost is a call of another thread, or the one settling of an older trial. */
#define BB_CLAIM_ATTEMPTS 64
/* A claim moves to another slot once. */
#define BB_SETTLE_ATTEMPTS 2
/* An earlier claimer can be late with one lease; more at once leave it to the next who looks. */
#define BB_LEASE_ATTEMPTS 4

/* Whether a lease ends later than any that was written by now: then its word is damaged. */
static inline bool bb_is_too_late(const busbar_breaker *breaker, double end, double now) {
  double longest = breaker->longest_lease_ms + 0.001;
  /* The claim may be younger than `now`. */
  if (end - now <= longest || end - bb_time(breaker) <= longest) return false;
  bb_report_damage(bb_region_of(breaker), BB_DAMAGED_LEASE);
  return true;
}

/* When the lease of the claim `word` ends. Writes it where the claimer has not yet. */
static inline double bb_lease_end(const busbar_breaker *breaker, busbar_place *place, int64_t word,
                                  double now) {
  uint32_t claim = (uint32_t)BB_GET(PLACE, CLAIM, word);
  for (int attempt = 0; attempt < BB_LEASE_ATTEMPTS; attempt++) {
    /* ATOMIC trials.lease
     *   observes:  the lease of this claim, or of an earlier one, while the claim stands.
     *   publishes: the end of this claim's lease, once.
     *   loses to:  another writer for this claim: its end holds for all; one for an earlier claim,
     *              which was late: again.
     *   dies here: the next who looks writes it.
     *   wraps:     13 bits of claim: a lease left unwritten for 8,192 claims of its place. */
    int64_t found = bb_load64(&place->lease);
    if (bb_is_timed_of(found, claim) && !bb_is_too_late(breaker, bb_time_of(found), now)) {
      return bb_time_of(found);
    }
    int64_t end = bb_pack_timed(claim, bb_time(breaker) + breaker->options.trial_timeout_ms);
    if (bb_load64(&place->place) != word) break;
    if (bb_cas64(&place->lease, found, end) == found) return bb_time_of(end);
  }
  return bb_infinity();
}

/* The same as bb_claim_trial, of one place. */
static inline int64_t bb_claim_place(const busbar_breaker *breaker, int32_t seen,
                                     uint32_t index) {
  uint32_t generation = bb_generation_of(seen);
  uint32_t slot = (uint32_t)breaker->thread->slot;
  busbar_place *place = &breaker->places[index];
  for (int attempt = 0; attempt < BB_CLAIM_ATTEMPTS; attempt++) {
    /* ATOMIC trials.claim
     *   observes:  free, or a word of an older generation (pairs with settle and claim).
     *   publishes: our slot and claim, before the call starts.
     *   loses to:  another claimer, or the settler of an older trial, which leaves the place free:
     *              look again, at the bound the next place; a transition: give back, look again.
     *   dies here: before the CAS nothing happened; after it the place ends with its lease.
     *   wraps:     22 bits of claim: a stale settle needs 4,194,304 claims in one generation. */
    int64_t found = bb_load64(&place->place);
    bool is_ours = BB_GET(PLACE, GENERATION, found) == generation;
    if (is_ours && BB_GET(PLACE, KIND, found) != BUSBAR_PLACE_FREE) return BUSBAR_REFUSED;
    /* Another generation's word is an older one's, however old, unless STATE has moved. */
    if (bb_seen(breaker) != seen) return BB_MOVED;
    uint32_t claim = (uint32_t)BB_TAKES(PLACE, CLAIM, BB_GET(PLACE, CLAIM, found) + 1);
    int64_t mine = bb_pack_place(generation, BUSBAR_PLACE_CLAIMED, claim, slot);
    if (bb_cas64(&place->place, found, mine) != found) continue;
    bb_lease_end(breaker, place, mine, bb_time(breaker));
    if (bb_seen(breaker) == seen) return bb_pack_permit(generation, index, claim);
    bb_cas64(&place->place, mine, bb_pack_place(generation, BUSBAR_PLACE_FREE, claim, slot));
    return BB_MOVED;
  }
  return BUSBAR_REFUSED;
}

/* Takes the first free place: a permit, BUSBAR_REFUSED when there is none, or BB_MOVED. */
static inline int64_t bb_claim_trial(const busbar_breaker *breaker, int32_t seen) {
  for (uint32_t index = 0; index < breaker->trials; index++) {
    int64_t permit = bb_claim_place(breaker, seen, index);
    if (permit != BUSBAR_REFUSED) return permit;
  }
  return BUSBAR_REFUSED;
}

/* What the places of a generation say. */
typedef struct {
  uint32_t succeeded;
  uint32_t failed;
  uint32_t outlived;
  double earliest_outlived;
  double latest_outlived;
} bb_trial_view;

static inline bb_trial_view bb_view_trials(const busbar_breaker *breaker, uint32_t generation,
                                           double now) {
  bb_trial_view view = {0, 0, 0, bb_infinity(), -bb_infinity()};
  for (uint32_t index = 0; index < breaker->trials; index++) {
    busbar_place *place = &breaker->places[index];
    int64_t word = bb_load64(&place->place);
    if (BB_GET(PLACE, GENERATION, word) != generation) continue;
    uint32_t kind = (uint32_t)BB_GET(PLACE, KIND, word);
    if (kind == BUSBAR_PLACE_SUCCEEDED) view.succeeded++;
    if (kind == BUSBAR_PLACE_FAILED) view.failed++;
    if (kind != BUSBAR_PLACE_CLAIMED) continue;
    double end = bb_lease_end(breaker, place, word, now);
    if (!(now >= end)) continue;
    view.outlived++;
    if (end < view.earliest_outlived) view.earliest_outlived = end;
    if (end > view.latest_outlived) view.latest_outlived = end;
  }
  return view;
}

/* What the trials have decided, and since when. */
typedef struct {
  bool is_there;
  uint32_t target;
  double since_ms;
  /* The trials that decided. */
  uint32_t succeeded;
  uint32_t failed;
} bb_verdict;

static inline bb_verdict bb_verdict_of(bool is_there, bool opens, double since_ms,
                                       uint32_t succeeded, uint32_t failed) {
  bb_verdict verdict;
  verdict.is_there = is_there;
  verdict.target = opens ? BUSBAR_OPEN : BUSBAR_CLOSED;
  verdict.since_ms = since_ms;
  verdict.succeeded = succeeded;
  verdict.failed = failed;
  return verdict;
}

static inline bb_verdict bb_verdict_strict(const busbar_breaker *breaker, uint32_t succeeded,
                                           uint32_t failed, double since_ms) {
  bool opens = failed > 0;
  bool is_there = opens || succeeded == breaker->trials;
  return bb_verdict_of(is_there, opens, since_ms, succeeded, failed);
}

static inline bb_verdict bb_verdict_by_rate(const busbar_breaker *breaker, uint32_t succeeded,
                                            uint32_t failed, double since_ms) {
  bool opens =
      (double)failed / (double)breaker->trials >= breaker->options.trial_failure_rate;
  bool is_there = succeeded + failed >= breaker->trials;
  return bb_verdict_of(is_there, opens, since_ms, succeeded, failed);
}

/* What an asker has to carry out before it may claim a place (spec 2.6): outlived trials failed. */
static inline bb_verdict bb_verdict_for_asker(const busbar_breaker *breaker,
                                              const bb_trial_view *view, double now) {
  if (breaker->options.trial_failure_rate > 0) {
    double since_ms = view->outlived > 0 ? view->latest_outlived : now;
    return bb_verdict_by_rate(breaker, view->succeeded, view->failed + view->outlived, since_ms);
  }
  double since_ms = view->outlived > 0 ? view->earliest_outlived : now;
  return bb_verdict_strict(breaker, view->succeeded, view->failed + view->outlived, since_ms);
}

/* What a settled trial decides. Leases of others are not looked at. */
static inline bb_verdict bb_verdict_for_settler(const busbar_breaker *breaker,
                                                const bb_trial_view *view, double now) {
  return breaker->options.trial_failure_rate > 0
             ? bb_verdict_by_rate(breaker, view->succeeded, view->failed, now)
             : bb_verdict_strict(breaker, view->succeeded, view->failed, now);
}

static inline void bb_carry_out(const busbar_breaker *breaker, int32_t seen,
                                const bb_verdict *verdict) {
  if (!verdict->is_there) return;
  bb_counts counts = {verdict->succeeded + verdict->failed, verdict->failed, 0, 0};
  bb_transition(breaker, seen, verdict->target, verdict->since_ms, &counts);
}

/*
 * Settles the trial that `permit` names, if that is still its place's claim, and carries out what
 * the trials have decided. True when the permit held nothing any more.
 */
static inline bool bb_settle_trial(const busbar_breaker *breaker, int32_t seen, int64_t permit,
                                   uint32_t outcome) {
  uint32_t generation = bb_generation_of(seen);
  uint64_t index = BB_GET(PERMIT, PLACE, permit);
  if (permit >= 2 * BUSBAR_FIRST_TRIAL_PERMIT || index >= breaker->most_trials) return true;
  if (BB_GET(PERMIT, GENERATION, permit) != BB_TAKES(PERMIT, GENERATION, generation)) return true;
  busbar_place *place = &breaker->places[index];
  for (int attempt = 0; attempt < BB_SETTLE_ATTEMPTS; attempt++) {
    /* ATOMIC trials.settle
     *   observes:  our claim (pairs with trials.claim).
     *   publishes: the outcome; the verdict follows from the places.
     *   loses to:  a reaper or a second use of the permit: then it is late; the holder of its slot
     *              leaving the region (trials.reap), which keeps the claim, once: again.
     *   dies here: after the CAS the next asker finds the verdict in the places.
     *   wraps:     as trials.claim. */
    int64_t word = bb_load64(&place->place);
    bool is_ours = BB_GET(PLACE, GENERATION, word) == generation &&
                   BB_GET(PLACE, KIND, word) == BUSBAR_PLACE_CLAIMED &&
                   BB_GET(PLACE, CLAIM, word) == BB_GET(PERMIT, CLAIM, permit);
    if (!is_ours) return true;
    double now = bb_time(breaker);
    bool is_late = now >= bb_lease_end(breaker, place, word, now);
    uint32_t claim = (uint32_t)BB_GET(PLACE, CLAIM, word);
    uint32_t slot = (uint32_t)BB_GET(PLACE, SLOT, word);
    int64_t settled = bb_pack_place(generation, outcome, claim, slot);
    if (!is_late && bb_cas64(&place->place, word, settled) != word) continue;
    if (!is_late && outcome == BUSBAR_PLACE_FREE) return false;
    bb_trial_view view = bb_view_trials(breaker, generation, now);
    bb_verdict verdict = is_late ? bb_verdict_for_asker(breaker, &view, now)
                                 : bb_verdict_for_settler(breaker, &view, now);
    bb_carry_out(breaker, seen, &verdict);
    return is_late;
  }
  return true;
}

#endif
