/*
 * Trials: src/protocol/trials.ts and the ask of breaker.ts, tags trials.claim, trials.lease,
 * trials.settle, breaker.ask.
 *
 * THREADS threads ask, hold trials, settle them (also twice, also never) and may stop for ever
 * before any step (DEATHS of them). A clock ticks whenever it likes.
 *
 * Abstraction: even generations are half-open, odd ones are not, and anyone may begin the next one:
 * a transition is one CAS on STATE, which state.pml shows. A lease is the ticks left of it, which
 * the clock takes away, also from those that a thread has computed and not yet written. Who
 * looks with an older time may take an ended lease for a live one: so may any look here (not in
 * -DLIVE, where each ask reads the clock anew). Thread 0 frees no place, only the last one uses a
 * permit twice. Reaping is in slots.pml.
 *
 * Properties, by assertion:
 *   no more than PLACES calls of one generation run at once (P2);
 *   a permit settles only the claim that it was given for, and that once;
 *   nothing is taken for outlived before a whole lease after its claim;
 *   the generation ends for a reason that is there: a failed or outlived trial, or all succeeded.
 * Property, liveness (-DLIVE, weak fairness): while thread 0 lives and asks, and the clock goes on,
 * half-open is always left (P3), although the others stop anywhere.
 *
 * Bounds: HALVES half-open generations from FIRST, so that generations (mod GENS) and claims (mod
 * CLAIMS) wrap; BUDGET claims. Residuals: a claim number that comes back within a generation
 * (CLAIMS > BUDGET), a place of the present generation's number that nobody has claimed since all
 * numbers were used.
 *
 * -DAT_ONCE: a look at all places is one step, for more threads or generations.
 *
 * Expected: 19 million states with two threads, 19 million with three. Faults: NO_CLAIM_CHECK,
 * STORE_CLAIM, STORE_SETTLE, NO_SECOND_LOOK; NO_LEASE_HELP, BY_NUMBER (-DLIVE): generations
 * compared by number, so that a place left alone for half of all looks newer and is never claimed.
 * Marks: REACHED, a full second half-open; LEASE_WRITTEN, a call admitted while its claim has no
 * lease, because the CAS was lost to a late writer for the claim before: the next look writes one.
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef HALVES
#define HALVES 2
#endif
#ifndef DEATHS
#define DEATHS 2
#endif
#ifndef BUDGET
#define BUDGET 4
#endif
#define PLACES 2
#define CLAIMS 8
#define GENS 16
#define FIRST 14
#define LEASE_TICKS 1
#define NEVER 7
#define LAST ((FIRST + 2 * HALVES - 1) % GENS)

#define FREE 0
#define CLAIMED 1
#define SUCCEEDED 2
#define FAILED 3

/* PLACE { generation 4, kind 2, claim 3 } */
#define pack(g, k, c) (((g) << 5) | ((k) << 3) | (c))
#define generationOf(w) ((w) >> 5)
#define kindOf(w) (((w) >> 3) & 3)
#define claimOf(w) ((w) & 7)
#define isNewer(a, b) ((a) != (b) && ((a) + GENS - (b)) % GENS < GENS / 2)
#define isHalfOpen(g) (((g) & 1) == 0)

byte STATE = FIRST;
short PLACE[PLACES];
byte LEASE[PLACES];            /* the claim it is of */
byte left[PLACES];             /* the ticks left of it */
byte mine[THREADS];            /* the same, as a thread has read or computed it */

byte deaths;
byte claims;
byte owner[PLACES];            /* 1 + the thread whose claim it is; 0 when settled */
byte truth[PLACES];            /* the ticks left of a whole lease since the claim */
byte running[HALVES];          /* calls, for each half-open generation */

#ifdef REACHED
#define MARK(x) assert(x)
#else
#define MARK(x) skip
#endif
#ifdef LEASE_WRITTEN
#define LEASE_MARK assert(PLACE[i] != word || LEASE[i] == claimOf(word))
#else
#define LEASE_MARK skip
#endif
#define half(g) (((g) + GENS - FIRST) % GENS / 2)
#define DROP held = 0; place = 0; used = false
#ifdef LIVE
#define TWICE false
#define CAN_CLAIM true
#define COUNT_CLAIM skip
#define MAY_DIE (me != 0 && deaths < DEATHS)
#else
#define TWICE (me == THREADS - 1)
#define CAN_CLAIM (claims < BUDGET)
#define COUNT_CLAIM claims++
#define MAY_DIE (deaths < DEATHS)
#endif
#define STEP(...) if :: d_step { __VA_ARGS__ } :: d_step { MAY_DIE -> deaths++ } goto dead fi
#define FORGET i = 0; word = 0; found = 0; succeeded = 0; failed = 0; outlived = 0; seen = 0; \
    role = ASKER; outcome = FREE; mine[me] = NEVER

/* Who looks at the places: an asker, or a settler in time, or one that was late. */
#define ASKER 0
#define SETTLER 1
#define LATE 2
#ifdef RATE
#define VERDICT(over) (succeeded + failed + (over) == PLACES)
#else
#define VERDICT(over) (failed + (over) > 0 || succeeded == PLACES)
#endif
#ifdef NO_LEASE_HELP
#define HELP skip
#else
#define HELP LEASE[i] = claimOf(word); left[i] = LEASE_TICKS
#endif
#ifdef NO_CLAIM_CHECK
#define CLAIM_IS_OTHER (generationOf(word) != seen || kindOf(word) != CLAIMED)
#else
#define CLAIM_IS_OTHER (word != held)
#endif
#define DONE 255
#define HAS(p) (generationOf(PLACE[p]) == seen && kindOf(PLACE[p]) == SUCCEEDED)
#define ALL_SUCCEEDED (HAS(0) && HAS(1))

#ifdef LIVE
#define LOOKS_LIVE false
#else
#define LOOKS_LIVE true
#endif

/* ATOMIC trials.lease: leaves in `mine` what is left of the lease of `word`, or NEVER. */
inline leaseEnd() {
  STEP(found = LEASE[i];
    if :: found == claimOf(word) -> mine[me] = left[i]; found = DONE :: else fi);
  if
  :: found == DONE
  :: else ->
    STEP(mine[me] = LEASE_TICKS);
    STEP(if :: PLACE[i] != word -> mine[me] = NEVER; found = DONE :: else fi);
    if
    :: found == DONE
    :: else ->
      STEP(if
        :: LEASE[i] == found -> LEASE[i] = claimOf(word); left[i] = mine[me]
        :: else -> mine[me] = (LEASE[i] == claimOf(word) -> left[i] : NEVER)
        fi)
    fi
  fi;
  found = 0
}

#include "trials-thread.pml"

#if THREADS == 2
#define COMPUTED (mine[0] % NEVER + mine[1] % NEVER)
#else
#define COMPUTED (mine[0] % NEVER + mine[1] % NEVER + mine[2] % NEVER)
#endif
proctype Clock() {
  byte i;
end_tick:
  do
  :: d_step { left[0] + left[1] + truth[0] + truth[1] + COMPUTED > 0 ->
      for (i : 0 .. PLACES - 1) {
        left[i] = (left[i] > 0 -> left[i] - 1 : 0);
        truth[i] = (truth[i] > 0 -> truth[i] - 1 : 0)
      }
      for (i : 0 .. THREADS - 1) {
        mine[i] = (mine[i] > 0 && mine[i] != NEVER -> mine[i] - 1 : mine[i])
      }
      i = 0
    }
  od
}

init {
  atomic {
    byte i;
    for (i : 0 .. PLACES - 1) { PLACE[i] = pack(FIRST - 2, SUCCEEDED, 6); LEASE[i] = 6 }
    /* Nobody has claimed it for most of all generations. */
    PLACE[1] = pack((FIRST + 5) % GENS, SUCCEEDED, 6);
    for (i : 0 .. THREADS - 1) { mine[i] = NEVER; run Thread(i) }
    run Clock()
  }
}

#ifdef LIVE
ltl always_left { [] (isHalfOpen(STATE) -> <> !isHalfOpen(STATE)) }
#endif
