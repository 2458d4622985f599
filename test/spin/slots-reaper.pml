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
  fi;
  do
  :: slot < SLOTS ->
    STEP(held = THREAD[slot];
      if :: isLive(held) && threadOf(held) == whose :: else -> held = 0; slot++ fi);
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
