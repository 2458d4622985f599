/* What a reaper does; slots.pml says what it is about. */

#ifdef ON_SILENCE
#define IS_DEAD(t) true
#else
#define IS_DEAD(t) dead[t]
#endif
#ifdef NO_STILL_HELD
#define LOOK held = held
#else
#define LOOK gone = (THREAD[slot] != held)
#endif
#undef STEP
#define STEP(...) if :: d_step { __VA_ARGS__ } \
    :: d_step { mortal && reaperDeaths < REAPER_DEATHS -> reaperDeaths++ } goto stopped fi
#define NEWS(t) d_step { IS_DEAD(t) && !told[t] -> told[t] = true; whose = t }

#ifdef STORE_MARK
#define LOOK_AGAIN skip
#else
#define LOOK_AGAIN held = THREAD[slot]
#endif
#ifdef UNMARKED
#define CAN_FREE(w) isLive(w)
#else
#define CAN_FREE(w) isMarked(w)
#endif
#if SLOTS > 1
#define ANY_MARKED (CAN_FREE(THREAD[0]) || CAN_FREE(THREAD[1]))
#else
#define ANY_MARKED CAN_FREE(THREAD[0])
#endif

proctype Reaper(bool mortal) {
  bool told[THREADS + 1];
  bool gone;
  byte whose, slot, held, word, before;
  short calls;
end_wait:
  if
  :: NEWS(1)
  :: NEWS(2)
#if THREADS > 2
  :: NEWS(3)
#endif
  :: !mortal && ANY_MARKED -> goto reap
  fi;
  do
  :: slot < SLOTS ->
    /* ATOMIC slots.mark: with the look before it; where the word has changed nothing happens. */
#ifdef STORE_MARK
    STEP(held = THREAD[slot]);
#endif
    STEP(LOOK_AGAIN;
      if
      :: isLive(held) && threadOf(held) == whose -> THREAD[slot] = marked(held)
      :: else
      fi;
      slot++; held = 0)
  :: else -> break
  od;
reap:
  if :: d_step { slot = 0; whose = 0 } fi;
  do
  :: slot < SLOTS ->
    STEP(held = THREAD[slot];
      if :: CAN_FREE(held) -> whose = threadOf(held) :: else -> held = 0; slot++ fi);
    if :: held -> break :: else fi
  :: else -> goto done
  od;
#ifdef FREE_FIRST
  STEP(if
    :: THREAD[slot] == held -> THREAD[slot] = packThread(0, epochOf(held), NOBODY)
    :: else
    fi);
#endif
  /* ATOMIC trials.reap */
  STEP(word = PLACE);
  if
  :: kindOf(word) == CLAIMED && slotOf(word) == slot ->
    STEP(LOOK);
    if
    :: gone
    :: else ->
      STEP(if
        :: PLACE != word
        :: else ->
          assert(placeOwner == whose && dead[whose]);
          PLACE = packPlace(claimOf(word), FREE, 0);
          placeOwner = NOBODY
        fi)
    fi
  :: else
  fi;
  /* ATOMIC totals.abandon */
  STEP(before = ABANDONED[slot]; gone = false; word = 0);
  STEP(calls = SUCCEEDED[slot]);
  STEP(calls = ADMITTED[slot] - calls);
  STEP(calls = calls - ABANDONED[slot]);
  if
  :: calls <= 0
  :: else ->
    STEP(LOOK);
    if
    :: gone
    :: else ->
      STEP(if
#ifndef STORE_ABANDON
        :: ABANDONED[slot] != before
#endif
        :: else ->
          assert(dead[whose] && calls == inFlight[whose]);
          ABANDONED[slot] = before + calls;
          inFlight[whose] = 0
        fi)
    fi
  fi;
  /* ATOMIC slots.free */
#ifdef NO_FREE
  goto done;
#endif
  STEP(if
#ifndef STORE_FREE
    :: THREAD[slot] != held
#endif
    :: else ->
      assert(holder[slot] == whose && dead[whose] && SETTLED(whose));
      THREAD[slot] = packThread(0, epochOf(held), NOBODY)
    fi);
done:
  if :: d_step { whose = 0; slot = 0; held = 0; word = 0; before = 0; calls = 0; gone = false } fi;
  goto end_wait;
stopped:
  if :: d_step { whose = 0; slot = 0; held = 0; word = 0; before = 0; calls = 0; gone = false } fi
}
