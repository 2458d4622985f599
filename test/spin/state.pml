/*
 * Transitions: src/protocol/state.ts, tags state.decide, state.fill, state.publish (S1 to S5, P5).
 *
 * Three threads want different transitions from whatever they see: one trips a closed breaker and
 * judges trials, one asks (open to half-open) and closes, one gives commands by hand. One step is
 * one access of shared memory. Before each step a thread may stop for ever, DEATHS of them do.
 *
 * Abstraction: NEXT is { tag, state, opening }: the opening stands for the time, which follows from
 * it. SINCE is its tag alone. TRIP and REASON are left out: nothing is decided by them.
 * A thread that waits for a state in which it acts stands for one that looks again and again.
 *
 * Properties, by assertion:
 *   one decision a generation, made while its predecessor is current (S1, S2);
 *   STATE goes from g to g + 1 only, to the decided state (S2);
 *   who has called `transition` leaves STATE moved on, own decision or not (S3);
 *   a published generation has its SINCE and OPENINGS, with the right number (S4);
 *   no word is replaced by one of an older generation (S5).
 *
 * Bounds: MOVES transitions from generation FIRST, so that generations (mod GENS) and tags (mod
 * TAGS) wrap on the way. Residual: words of NEXT repeat after TAGS transitions (1,024 in the code,
 * where the microsecond has to repeat as well); MOVES stays below. -DSHORT_TAG shows what else.
 *
 * Expected: 7 million states. Faults: NO_DECIDE, STORE_DECIDE, NO_LOOK, STORE_FILL, FILL_LATE,
 * SHORT_TAG. Mark (REACHED): the last transition.
 */
#define GENS 16
#ifdef SHORT_TAG
#define TAGS 4
#else
#define TAGS 8
#endif
#define FIRST 14
#define MOVES 5
#define DEATHS 2

#define CLOSED 0
#define OPEN 1
#define HALF_OPEN 2
#define FORCED_OPEN 3

#define packState(g, s) (((g) << 2) | (s))
#define generationOf(w) ((w) >> 2)
#define stateOf(w) ((w) & 3)
#define after(w) ((generationOf(w) + 1) % GENS)
#define packNext(g, s, o) ((((g) % TAGS) << 5) | ((s) << 3) | (o))
#define isNextOf(w, g) (((w) >> 5) == (g) % TAGS)
#define nextStateOf(w) (((w) >> 3) & 3)
#define packOpenings(g, o) (((g) << 3) | (o))
#define isOpeningsOf(w, g) (((w) >> 3) == (g))
#define openingsIn(w, g) (isOpeningsOf(w, g) -> ((w) & 7) : 0)
#define openingAfter(w, g, s) ((s) == CLOSED -> 0 : openingsIn(w, g) + ((s) == OPEN -> 1 : 0))
/* How many transitions after FIRST a generation comes. */
#define nth(g) (((g) + GENS - FIRST) % GENS)

byte STATE = packState(FIRST, CLOSED);
byte NEXT[2], SINCE[2], OPENINGS[2];

/* What no thread reads: the truth that the assertions compare with. */
byte moves;
byte deaths;
byte target[MOVES + 2];
bool isDecided[MOVES + 2];
byte openings, nextIs[2], sinceIs[2], openingsIs[2];

/* One access of shared memory, before which the thread may stop for ever. */
#define STEP(...) if :: d_step { __VA_ARGS__ } \
    :: d_step { deaths < DEATHS -> deaths++ } goto dead fi
#define WANT(who, when, to) d_step { role == who && moves < MOVES && (when) -> \
    seen = STATE; goal = to }
#define FORGET seen = 0; goal = 0; opening = 0; old = 0; word = 0; moved = 0
#ifdef REACHED
#define MARK(x) assert(x)
#else
#define MARK(x) skip
#endif
#define IS(s) (stateOf(STATE) == s)

proctype Thread(byte role) {
  byte seen, goal, opening, old, word;
  bool moved;
end_look:
  if
  :: WANT(0, IS(CLOSED) || IS(HALF_OPEN), OPEN)
  :: WANT(1, IS(OPEN) || IS(FORCED_OPEN), HALF_OPEN)
  :: WANT(1, IS(HALF_OPEN), CLOSED)
  :: WANT(2, !IS(FORCED_OPEN), FORCED_OPEN)
  :: WANT(2, IS(FORCED_OPEN), CLOSED)
  fi;
  STEP(opening = OPENINGS[generationOf(seen) & 1];
       opening = openingAfter(opening, generationOf(seen), goal));
#ifdef NO_DECIDE
  word = packNext(after(seen), goal, opening);
  goto publish;
#endif
  /* ATOMIC state.decide */
  STEP(old = NEXT[after(seen) & 1]);
#ifndef NO_LOOK
  STEP(moved = (STATE != seen));
  if :: moved -> goto done :: else fi;
#endif
  word = old;
  if
  :: isNextOf(old, after(seen))
  :: else ->
    STEP(
      word = NEXT[after(seen) & 1];
      if
#ifndef STORE_DECIDE
      :: word != old
#endif
      :: else ->
        assert(STATE == seen && !isDecided[nth(after(seen))]);
        word = packNext(after(seen), goal, opening);
        isDecided[nth(after(seen))] = true;
        target[nth(after(seen))] = goal;
        assert(nextIs[after(seen) & 1] <= nth(after(seen)));
        nextIs[after(seen) & 1] = nth(after(seen));
        NEXT[after(seen) & 1] = word
      fi);
    if :: !isNextOf(word, after(seen)) -> goto done :: else fi
  fi;
publish:
  if :: d_step { goal = nextStateOf(word); word = 0; old = 0; opening = 0 } fi;
  /* ATOMIC state.fill: SINCE */
  STEP(old = SINCE[after(seen) & 1]);
  if
  :: old == after(seen) % TAGS
  :: else ->
#ifndef FILL_LATE
    STEP(moved = (STATE != seen && generationOf(STATE) != after(seen)));
#endif
    if
    :: moved
    :: else ->
      STEP(if
#ifndef STORE_FILL
        :: SINCE[after(seen) & 1] != old
#endif
        :: else ->
          assert(sinceIs[after(seen) & 1] <= nth(after(seen)));
          sinceIs[after(seen) & 1] = nth(after(seen));
          SINCE[after(seen) & 1] = after(seen) % TAGS
        fi;
        old = 0)
    fi
  fi;
  /* ATOMIC state.fill: OPENINGS */
  STEP(opening = OPENINGS[generationOf(seen) & 1];
       opening = openingAfter(opening, generationOf(seen), goal));
  STEP(old = OPENINGS[after(seen) & 1]);
  if
  :: isOpeningsOf(old, after(seen))
  :: else ->
#ifndef FILL_LATE
    STEP(moved = (STATE != seen && generationOf(STATE) != after(seen)));
#endif
    if
    :: moved
    :: else ->
      STEP(if
        :: OPENINGS[after(seen) & 1] != old
        :: else ->
          assert(openingsIs[after(seen) & 1] <= nth(after(seen)));
          openingsIs[after(seen) & 1] = nth(after(seen));
          OPENINGS[after(seen) & 1] = packOpenings(after(seen), opening)
        fi;
        old = 0; opening = 0)
    fi
  fi;
  /* ATOMIC state.publish */
  STEP(if
    :: STATE != seen
    :: else ->
      assert(nth(after(seen)) == moves + 1 && isDecided[moves + 1] && target[moves + 1] == goal);
      openings = (goal == CLOSED -> 0 : openings + (goal == OPEN -> 1 : 0));
      assert(sinceIs[after(seen) & 1] == moves + 1 && SINCE[after(seen) & 1] == after(seen) % TAGS);
      assert(openingsIs[after(seen) & 1] == moves + 1);
      assert(OPENINGS[after(seen) & 1] == packOpenings(after(seen), openings));
      assert(NEXT[after(seen) & 1] == packNext(after(seen), goal, openings));
      STATE = packState(after(seen), goal);
      moves++;
      MARK(moves < MOVES)
    fi);
done:
  if :: d_step { assert(STATE != seen); FORGET } fi;
  goto end_look;
dead:
  if :: d_step { FORGET } fi
}

init {
  d_step {
    NEXT[0] = packNext(FIRST, CLOSED, 0); NEXT[1] = packNext(FIRST - 1, HALF_OPEN, 1);
    SINCE[0] = FIRST % TAGS; SINCE[1] = (FIRST - 1) % TAGS;
    OPENINGS[0] = packOpenings(FIRST, 0); OPENINGS[1] = packOpenings(FIRST - 1, 1)
  };
  atomic { run Thread(0); run Thread(1); run Thread(2) }
}
