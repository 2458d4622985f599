/*
 * Slots and their reaping: src/protocol/slots.ts, totals.ts, trials.ts and src/threads/deaths.ts,
 * tags slots.claim, slots.mark, slots.free, trials.reap, totals.abandon.
 *
 * THREADS threads claim one of SLOTS slots, count calls and take the one trial place, and end at
 * any step. Their exit is announced to two reapers (parent and grandparent in the code), which
 * work at once and one of which may stop for ever. Who is told of a death marks the slot; either
 * frees what is marked, told or not (the keeper in the code). The slots are claimed again by
 * threads still to come.
 *
 * Abstraction: a THREAD word is { marked, live, epoch, thread }; each thread is its own only
 * ancestor (that children are marked before their parents is explored, in test/explore). A shard
 * is ADMITTED, SUCCEEDED (one writer) and ABANDONED. Trials have no lease here: trials.pml.
 *
 * Properties, by assertion:
 *   no slot has two living holders, and none is freed while its holder lives;
 *   a place is freed only if the thread that claimed it is dead;
 *   calls in flight are abandoned once, those of the dead thread and no others: when a dead
 *   thread's slot is free its calls are abandoned and its place is free.
 * Property, liveness (-DLIVE, weak fairness): a dead thread's slot becomes free if a reaper goes
 * on.
 *
 * Bounds: CALLS calls a thread; three threads with both calls and a trial are 39 million states,
 * and were looked at by hand. Residual: epochs and claims repeat after 2^11 and 2^22 (here 8).
 *
 * Expected: 7 million states with three threads and calls in flight alone (-DNO_PLACE), 3 million
 * with a trial alone (-DCALLS=0). Faults: FREE_FIRST, NO_STILL_HELD, STORE_FREE, STORE_CLAIM,
 * STORE_ABANDON, STORE_MARK, ON_SILENCE (marks who has not been announced dead), UNMARKED (frees
 * what nobody has marked), NO_FREE (-DLIVE).
 * Mark (REACHED): the slot has had all threads, one after the other.
 */
#ifndef THREADS
#define THREADS 3
#endif
#ifndef SLOTS
#define SLOTS 1
#endif
#ifndef CALLS
#define CALLS 1
#endif
#ifndef REAPER_DEATHS
#define REAPER_DEATHS 1
#endif
#define NOBODY 0

/* THREAD { marked dead, live, epoch mod 8, thread }: threads are numbered from 1. */
#define packThread(l, e, t) (((l) << 6) | (((e) & 7) << 3) | (t))
#define marked(w) ((w) | 128)
#define isMarked(w) ((w) >> 7)
#define isLive(w) (((w) >> 6) & 1)
#define epochOf(w) (((w) >> 3) & 7)
#define threadOf(w) ((w) & 7)
/* PLACE { claim mod 8, kind, slot } */
#define FREE 0
#define CLAIMED 1
#define packPlace(c, k, s) ((((c) & 7) << 3) | ((k) << 2) | (s))
#define claimOf(w) ((w) >> 3)
#define kindOf(w) (((w) >> 2) & 1)
#define slotOf(w) ((w) & 3)

byte THREAD[SLOTS];
byte PLACE;
byte ADMITTED[SLOTS];
byte SUCCEEDED[SLOTS];
byte ABANDONED[SLOTS];

bool dead[THREADS + 1];
byte placeOwner;
byte holder[SLOTS];
byte inFlight[THREADS + 1];
byte reaperDeaths;

#define STEP(...) if :: d_step { __VA_ARGS__ } :: goto ended fi
#ifdef REACHED
#define MARK(x) assert(x)
#else
#define MARK(x) skip
#endif
/* A thread's slot is free: all that it held has been given back. */
#define SETTLED(t) (placeOwner != (t) && inFlight[t] == 0)

proctype Thread(byte me) {
  byte slot, found, calls;
look:
  do
  :: slot < SLOTS ->
    STEP(found = THREAD[slot]);
    if
    :: isLive(found) -> slot++
    :: else ->
      /* ATOMIC slots.claim */
      STEP(
        if
#ifdef STORE_CLAIM
        :: true ->
#else
        :: THREAD[slot] == found ->
#endif
          assert(holder[slot] == NOBODY || (dead[holder[slot]] && SETTLED(holder[slot])));
          holder[slot] = me;
          MARK(epochOf(found) < THREADS - 1);
          THREAD[slot] = packThread(1, epochOf(found) + 1, me);
          found = packThread(1, 0, me)
        :: else -> slot++; found = 0
        fi);
      if :: found -> break :: else fi
    fi
  :: else -> goto overflow
  od;
  found = 0;
  do
  :: calls < CALLS ->
    STEP(ADMITTED[slot]++; inFlight[me]++; calls++);
    if
    :: d_step { SUCCEEDED[slot]++; inFlight[me]-- }
    :: skip
    :: goto ended
    fi
#ifndef NO_PLACE
  :: placeOwner != me ->
    /* ATOMIC trials.claim */
    STEP(found = PLACE);
    if
    :: kindOf(found) == FREE ->
      STEP(if
        :: PLACE == found -> PLACE = packPlace(claimOf(found) + 1, CLAIMED, slot); placeOwner = me
        :: else
        fi;
        found = 0)
    :: else -> found = 0
    fi
#endif
  :: else -> break
  od;
ended:
  /* Node announces an exit after the thread has ended. */
  if :: d_step { dead[me] = true; slot = 0; found = 0; calls = 0 } fi;
overflow:
  skip
}

#include "slots-reaper.pml"

init {
  atomic {
    byte t;
    for (t : 1 .. THREADS) { run Thread(t) }
    run Reaper(true);
    run Reaper(false)
  }
}

#ifdef LIVE
#define DEAD_HOLDER (isLive(THREAD[0]) && dead[threadOf(THREAD[0])])
ltl given_back { [] (DEAD_HOLDER -> <> !DEAD_HOLDER) }
#endif
