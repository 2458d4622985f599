/*
 * busbar in C: the circuit breakers of a Node.js process on threads that Node.js did not start.
 *
 * A region is made by JavaScript (`createRegistry`, `getRegistry`), breakers too; it may give them
 * other options, and remove them. A native thread that has the address and length of
 * `registry.handle.buffer` attaches, joins, finds breakers by name, and asks and records as every
 * JavaScript thread does: one threshold, one set of trials, whoever calls. README.md beside this
 * file says how to get the address, and what is guaranteed.
 *
 *   busbar_region region;              one for each region, any number of threads may use it
 *   busbar_thread thread;              one for each thread and region
 *   busbar_breaker breaker;            one for each thread and breaker
 *
 *   busbar_attach(&region, memory, bytes);
 *   busbar_join(&thread, &region, number);
 *   busbar_find(&breaker, &thread, name, strlen(name));
 *
 *   int64_t permit = busbar_try_acquire(&breaker);
 *   if (permit == BUSBAR_REFUSED) return busy();         or BUSBAR_GONE, once it was removed
 *   if (call()) busbar_record_success(&breaker, permit, BUSBAR_NOT_MEASURED);
 *   else busbar_record_failure(&breaker, permit, BUSBAR_NOT_MEASURED);
 *
 *   busbar_leave(&thread);
 *
 * C11 and C++17, gcc or clang (the __atomic builtins), 64-bit atomics without locks. No allocation,
 * no library but the clock's, no wait, no lock. Everything is static inline; names that begin with
 * bb_ are the client's own. The protocol, its promises and its proofs are those of the JavaScript
 * sources (docs/protocol.md); ATOMIC tags are the same, and `order:` says what C may relax and why.
 */
#ifndef BUSBAR_H
#define BUSBAR_H

#include "client/durations.h"
#include "client/follower.h"
#include "client/record.h"
#include "client/trials.h"

/*
 * Finds the breaker that has this name (`length` bytes of UTF-8). Cost: a copy of 640 bytes for
 * each record up to its own. One with `countHangingCalls` is refused: the client does not tell
 * calls by age, so its sums would miss those that hang.
 */
static inline busbar_status busbar_find(busbar_breaker *breaker, busbar_thread *thread,
                                        const char *name, uint64_t length) {
  bb_entry entry;
  if (!(length >= 1 && length <= BUSBAR_MAX_NAME_BYTES)) return BUSBAR_BAD_NAME;
  busbar_status status = bb_find_entry(thread->region, name, length, &entry);
  if (status != BUSBAR_OK) return status;
  if (entry.definition.options.hanging != 0) return BUSBAR_COUNTS_HANGING;
  bb_fill_in(breaker, thread, &entry);
  bb_take_counters(breaker);
  return BUSBAR_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static inline void bb_refuse_until(busbar_breaker *breaker, int32_t seen, double until) {
  breaker->refused_by = seen;
  breaker->refused_until = until;
  breaker->refused = bb_refusals_of(breaker, bb_state_of(seen));
}

static inline int64_t bb_ask_open(busbar_breaker *breaker, int32_t seen) {
  double until = 0;
  bool is_legal = bb_read_time(breaker, bb_generation_of(seen), &until);
  double now = bb_time(breaker);
  is_legal = is_legal && (bb_state_of(seen) == BUSBAR_FORCED_OPEN ||
                          until - now <= breaker->longest_wait_ms);
  if (is_legal && now < until) {
    bb_refuse_until(breaker, seen, until);
    return BUSBAR_REFUSED;
  }
  if (!is_legal) {
    if (bb_seen(breaker) != seen) return BB_MOVED;
    bb_report_damage(bb_region_of(breaker), BB_DAMAGED_WAIT);
  }
  bb_transition(breaker, seen, BUSBAR_HALF_OPEN, now, NULL);
  return BB_MOVED;
}

static inline int64_t bb_ask_half_open(const busbar_breaker *breaker, int32_t seen) {
  double now = bb_time(breaker);
  bb_trial_view view = bb_view_trials(breaker, bb_generation_of(seen), now);
  bb_verdict verdict = bb_verdict_for_asker(breaker, &view, now);
  if (!verdict.is_there) return bb_claim_trial(breaker, seen);
  bb_carry_out(breaker, seen, &verdict);
  return BB_MOVED;
}

/*
 * What busbar_try_acquire answers once the breaker has been removed, and the record calls it late.
 * One of that name may have been made since: find it. Else the call is unguarded, as any is for
 * which there is no breaker.
 */
#define BUSBAR_GONE INT64_C(-3)

static inline int64_t bb_ask_once(busbar_breaker *breaker, int32_t seen) {
  if (!bb_knows(breaker, seen)) return bb_look_again(breaker) ? BB_MOVED : BUSBAR_GONE;
  uint32_t state = bb_state_of(seen);
  if (seen < 0 || state > BUSBAR_METRICS_ONLY) {
    bb_report_damage(bb_region_of(breaker), BB_DAMAGED_STATE);
    return bb_generation_of(seen);
  }
  if (state == BUSBAR_OPEN || state == BUSBAR_FORCED_OPEN) return bb_ask_open(breaker, seen);
  if (state == BUSBAR_HALF_OPEN) return bb_ask_half_open(breaker, seen);
  return bb_generation_of(seen);
}

/* How often an asker looks again because a transition got in its way; then it refuses. */
#define BB_ASK_ATTEMPTS 16

static inline int64_t bb_ask(busbar_breaker *breaker, int32_t first) {
  int32_t seen = first;
  for (int attempt = 0; attempt < BB_ASK_ATTEMPTS; attempt++) {
    int64_t permit = bb_ask_once(breaker, seen);
    if (permit == BUSBAR_REFUSED) break;
    if (permit != BB_MOVED) return permit;
    seen = bb_seen(breaker);
  }
  if (seen != breaker->refused_by) bb_refuse_until(breaker, seen, 0);
  return BUSBAR_REFUSED;
}

/* The permit, which is counted. */
static inline int64_t bb_admit(busbar_breaker *breaker, int64_t permit) {
  bb_count(breaker, &breaker->totals->admitted);
  if (breaker->thread->slot != BUSBAR_OVERFLOW_SLOT) return permit;
  /* ATOMIC breaker.confirm
   *   observes:  whether the breaker that admitted is still there, after it counted: whoever begins
   *              a new one in this record has cleared its shared counters by now.
   *   publishes: that it has not admitted, where it is gone; the permit is late.
   *   dies here: the new breaker has a call in flight that nobody settles.
   *   order:     seq_cst: the counter is raised before STATE is read. */
  if (bb_knows(breaker, bb_seen(breaker)) || bb_look_again(breaker)) return permit;
  bb_add64(&breaker->totals->admitted, -1);
  return permit;
}

/*
 * A permit to make one call, BUSBAR_REFUSED, or BUSBAR_GONE. Every permit is to be given to exactly
 * one of busbar_record_success, busbar_record_failure and busbar_release. Never waits. Cost: one
 * load while closed, two while open and a keeper ticks.
 */
static inline int64_t busbar_try_acquire(busbar_breaker *breaker) {
  /* ATOMIC breaker.ask
   *   observes:  the current generation and state (pairs with state.publish).
   *   dies here: a permit given while closed is in flight until the thread's death is known.
   *   order:     acquire: who sees a generation sees its words. A transition that happens before
   *              this call is seen; one that overlaps it may be before or after it. */
  int32_t seen = bb_load_acquire(&breaker->record->state);
  if (bb_is_closed(breaker, seen)) return bb_admit(breaker, bb_generation_of(seen));
  if (seen == breaker->refused_by) {
    bb_clock *clock = bb_clock_of(breaker);
    bb_glance(clock, bb_region_of(breaker));
    if (clock->latest < breaker->refused_until || bb_time(breaker) < breaker->refused_until) {
      bb_count(breaker, breaker->refused);
      return BUSBAR_REFUSED;
    }
  }
  int64_t permit = bb_ask(breaker, seen);
  if (permit == BUSBAR_GONE) return permit;
  if (permit != BUSBAR_REFUSED) return bb_admit(breaker, permit);
  bb_count(breaker, breaker->refused);
  return permit;
}

/* ---- settling -------------------------------------------------------------------------------- */

/* The duration of an outcome that came without one; so is every negative one, and NaN. */
#define BUSBAR_NOT_MEASURED (-1.0)

static inline void bb_count_outcome(const busbar_breaker *breaker, uint32_t kind,
                                    double duration_ms) {
  busbar_totals *totals = breaker->totals;
  if (duration_ms >= 0) bb_record_duration(breaker, duration_ms);
  bb_count(breaker, kind & BB_FAILED ? &totals->failed : &totals->succeeded);
  if (kind & BB_SLOW) bb_count(breaker, &totals->slow);
}

/* True when the permit was late. */
static inline bool bb_settle(const busbar_breaker *breaker, int32_t seen, int64_t permit,
                             uint32_t outcome) {
  if (bb_state_of(seen) != BUSBAR_HALF_OPEN) return true;
  return bb_settle_trial(breaker, seen, permit, outcome);
}

/* How a call was settled: late, counted, or not at all, for the breaker is gone. */
typedef enum { BB_LATE = 0, BB_COUNTED = 1, BB_GONE = BUSBAR_GONE } bb_settled;

/* The STATE word by which a call is settled. False where the breaker is gone. */
static inline bool bb_settles_by(busbar_breaker *breaker, int32_t *seen) {
  for (int attempt = 0; attempt < BB_ASK_ATTEMPTS; attempt++) {
    /* ATOMIC breaker.record
     *   observes:  whether the permit's generation is current. A transition right after this look
     *              makes the outcome one of a generation that nobody reads any more.
     *   dies here: the permit stays in flight until the thread's death is known.
     *   order:     acquire, as breaker.ask. */
    *seen = bb_load_acquire(&breaker->record->state);
    if (bb_knows(breaker, *seen)) return true;
    if (!bb_look_again(breaker)) return false;
  }
  return false;
}

static inline bb_settled bb_record_outcome(busbar_breaker *breaker, int64_t permit,
                                           double duration_ms, uint32_t failed) {
  int32_t seen;
  if (!bb_settles_by(breaker, &seen)) return BB_GONE;
  uint32_t kind = duration_ms > breaker->options.slow_duration_ms ? failed | BB_SLOW : failed;
  if (permit == (int64_t)bb_generation_of(seen)) {
    uint32_t state = bb_state_of(seen);
    bool is_watched = state == BUSBAR_CLOSED || state == BUSBAR_METRICS_ONLY;
    if (is_watched || state == BUSBAR_DISABLED) {
      bb_count_outcome(breaker, kind, duration_ms);
      if (is_watched) bb_record(breaker, seen, kind);
      return BB_COUNTED;
    }
  } else if (permit >= BUSBAR_FIRST_TRIAL_PERMIT) {
    uint32_t outcome = kind == BB_GOOD ? BUSBAR_PLACE_SUCCEEDED : BUSBAR_PLACE_FAILED;
    if (!bb_settle(breaker, seen, permit, outcome)) {
      bb_count_outcome(breaker, kind, duration_ms);
      return BB_COUNTED;
    }
  }
  bb_count(breaker, &breaker->totals->late);
  return BB_LATE;
}

static inline bb_settled bb_release(busbar_breaker *breaker, int64_t permit) {
  int32_t seen;
  if (!bb_settles_by(breaker, &seen)) return BB_GONE;
  uint32_t state = bb_state_of(seen);
  bool is_ignored =
      permit >= BUSBAR_FIRST_TRIAL_PERMIT
          ? !bb_settle(breaker, seen, permit, BUSBAR_PLACE_FREE)
          : (state == BUSBAR_CLOSED || state == BUSBAR_METRICS_ONLY || state == BUSBAR_DISABLED) &&
                permit == (int64_t)bb_generation_of(seen);
  bb_count(breaker, is_ignored ? &breaker->totals->ignored : &breaker->totals->late);
  return is_ignored ? BB_COUNTED : BB_LATE;
}

/* Late is also what a breaker that is gone calls an outcome: it counts that where the counters are
 * still its own, and this thread's. */
static inline bool bb_has_counted(const busbar_breaker *breaker, bb_settled settled) {
  bool is_own = breaker->thread->slot != BUSBAR_OVERFLOW_SLOT && bb_is_counted_for(breaker);
  if (settled == BB_GONE && is_own) bb_count(breaker, &breaker->totals->late);
  return settled == BB_COUNTED;
}

/*
 * The call succeeded after `duration_ms`, which is negative where it was not measured: then it is
 * not slow, and counts in no histogram. False when it was late.
 */
static inline bool busbar_record_success(busbar_breaker *breaker, int64_t permit,
                                         double duration_ms) {
  return bb_has_counted(breaker, bb_record_outcome(breaker, permit, duration_ms, BB_GOOD));
}

/* The same for a call that failed. May open the breaker. */
static inline bool busbar_record_failure(busbar_breaker *breaker, int64_t permit,
                                         double duration_ms) {
  return bb_has_counted(breaker, bb_record_outcome(breaker, permit, duration_ms, BB_FAILED));
}

/* Gives the permit back without an outcome: the call was not made, or says nothing. */
static inline bool busbar_release(busbar_breaker *breaker, int64_t permit) {
  return bb_has_counted(breaker, bb_release(breaker, permit));
}

/* ---- looking, leaving ------------------------------------------------------------------------ */

/*
 * BUSBAR_CLOSED, BUSBAR_OPEN, ...: a look that moves nothing. A damaged word acts as disabled, and
 * so does a breaker that is gone.
 */
static inline uint32_t busbar_state(busbar_breaker *breaker) {
  int32_t seen;
  uint32_t state = bb_settles_by(breaker, &seen) ? bb_state_of(seen) : BUSBAR_DISABLED;
  return state <= BUSBAR_METRICS_ONLY ? state : BUSBAR_DISABLED;
}

/* Milliseconds of the region's clock, the same in every thread. */
static inline double busbar_now(busbar_thread *thread) {
  return bb_now(&thread->clock, thread->region);
}

#include "client/leave.h"

#endif
