/* What a thread does with trials; trials.pml says what it is about. */

proctype Thread(byte me) {
  byte seen, i, found, succeeded, failed, outlived, role, place, outcome;
  short word, held;
  bool used;
end_look:
  if
  :: d_step { held == 0 && STATE != LAST -> seen = STATE }
    goto ask
  :: d_step { held != 0 && !used -> used = true; running[half(generationOf(held))]--; seen = STATE }
    goto settle
  :: d_step { used -> seen = STATE }
    goto settle
#ifndef AT_ONCE
  :: d_step { held != 0 -> DROP }
    goto end_look
#endif
  fi;
ask:
  if :: isHalfOpen(seen) -> goto view :: else -> goto move fi;

view:
#ifdef AT_ONCE
  STEP(
    do
    :: i == PLACES -> break
    :: else ->
      word = PLACE[i];
      if
      :: generationOf(word) != seen || kindOf(word) == FREE
      :: generationOf(word) == seen && kindOf(word) == SUCCEEDED -> succeeded++
      :: generationOf(word) == seen && kindOf(word) == FAILED -> failed++
      :: else ->
        if
        :: LEASE[i] != claimOf(word) -> HELP
        :: LEASE[i] == claimOf(word) && left[i] == 0 -> assert(truth[i] == 0); outlived++
        :: else
        fi
      fi;
      i++
    od;
    word = 0);
  if :: outlived == 0 :: outlived > 0 :: outlived > 0 && LOOKS_LIVE -> outlived = 0 fi;
#else
  do
  :: i < PLACES ->
    STEP(word = PLACE[i];
      if
      :: generationOf(word) != seen || kindOf(word) == FREE -> word = 0
      :: else ->
        if
        :: kindOf(word) == SUCCEEDED -> succeeded++; word = 0
        :: kindOf(word) == FAILED -> failed++; word = 0
        :: else
        fi
      fi);
    if
    :: word != 0 ->
#ifdef NO_LEASE_HELP
      STEP(mine[me] = (LEASE[i] == claimOf(word) -> left[i] : NEVER));
#else
      leaseEnd();
#endif
      if
      :: mine[me] == 0 -> d_step { assert(PLACE[i] != word || truth[i] == 0); outlived++ }
      :: mine[me] != 0 || LOOKS_LIVE
      fi;
      if :: d_step { i++; word = 0; mine[me] = NEVER } fi
    :: else -> i++
    fi
  :: else -> break
  od;
#endif
  if
  :: role != SETTLER && VERDICT(outlived) -> goto move
  :: role == SETTLER && VERDICT(0) -> goto move
  :: else ->
    if :: role == ASKER -> goto claim :: else -> goto done fi
  fi;

move:
  /* ATOMIC state.publish, as one step. */
  STEP(if
    :: STATE != seen
    :: else ->
      assert(!isHalfOpen(seen) || failed + outlived > 0 || ALL_SUCCEEDED);
      STATE = (seen + 1) % GENS
    fi);
  goto done;

claim:
  if :: d_step { i = 0; succeeded = 0; failed = 0; outlived = 0; mine[me] = NEVER } fi;
  do
  :: i < PLACES ->
    /* ATOMIC trials.claim */
    STEP(word = PLACE[i]);
    if
    :: generationOf(word) == seen && kindOf(word) != FREE -> i++
    :: else ->
#ifdef BY_NUMBER
      if :: isNewer(generationOf(word), seen) -> goto done :: else fi;
#else
      STEP(if :: STATE != seen -> role = LATE :: else fi);
      if :: role == LATE -> goto done :: else fi;
#endif
      STEP(if
#ifdef STORE_CLAIM
        :: true ->
#else
        :: PLACE[i] == word && CAN_CLAIM ->
#endif
          COUNT_CLAIM;
          word = pack(seen, CLAIMED, (claimOf(word) + 1) % CLAIMS);
          PLACE[i] = word;
          owner[i] = me + 1;
          truth[i] = LEASE_TICKS;
          outcome = (STATE == seen);
          found = DONE
        :: else -> word = 0
        fi);
      if :: found == DONE -> break :: else fi
    fi
  :: else -> goto done
  od;
  leaseEnd();
  STEP(if
#ifndef NO_SECOND_LOOK
    :: STATE != seen
#endif
    :: else ->
      assert(outcome);
      LEASE_MARK;
      running[half(seen)]++;
      assert(running[half(seen)] <= PLACES);
      MARK(half(seen) == 0 || running[half(seen)] < PLACES);
      held = word;
      place = i
    fi);
  if
  :: held != 0 -> goto done
  :: else ->
    STEP(if :: PLACE[i] == word -> PLACE[i] = word - (CLAIMED << 3); owner[i] = 0 :: else fi);
    goto done
  fi;

settle:
  /* ATOMIC trials.settle */
  i = place;
  if :: generationOf(held) != seen -> goto done :: else fi;
  STEP(word = PLACE[i]);
  if
  :: CLAIM_IS_OTHER -> goto done
  :: else
  fi;
  leaseEnd();
  /* The clock was read before the lease: one that has ended since is taken for live. */
  if
  :: mine[me] == 0 -> role = LATE
  :: mine[me] != 0 || LOOKS_LIVE -> role = SETTLER
  fi;
  mine[me] = NEVER;
  if
  :: role == LATE -> word = 0; i = 0; goto view
  :: outcome = SUCCEEDED
  :: outcome = FAILED
#ifndef LIVE
  :: me != 0 -> outcome = FREE
#endif
  fi;
  STEP(if
#ifndef STORE_SETTLE
    :: PLACE[i] != word -> outcome = FREE
#endif
    :: else ->
      assert(owner[i] == me + 1 && PLACE[i] == held);
      owner[i] = 0;
      PLACE[i] = pack(seen, outcome, claimOf(word))
    fi;
    word = 0;
    i = 0);
  if :: outcome == FREE -> goto done :: else -> outcome = FREE; goto view fi;

done:
  if :: d_step { FORGET; if :: used && !TWICE -> DROP :: else fi } fi;
  goto end_look;
dead:
  if :: d_step { FORGET; DROP } fi
}
