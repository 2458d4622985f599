/*
 * The periodic sum: src/protocol/periodic.ts, tags duty.take, periodic.put, and readSummary.
 *
 * OWNERS threads take the duty, sum, and publish AT and two more words (six in the code), each by
 * load, look at DUTY, CAS. A reader takes AT, the words, AT again.
 *
 * Abstraction: the duty is due whenever a thread looks, so it is taken over at every step of its
 * old owner. A round's sum is its number. An owner that is never scheduled again is dead.
 *
 * Properties, by assertion:
 *   a fence has one owner;
 *   a summary that a reader accepts is all of one round, which its owner began;
 *   a reader never accepts an older round than before;
 *   an owner that was not overtaken has published its round whole.
 *
 * Bounds: ROUNDS rounds; fences (mod FENCES) wrap on the way. Residual: ROUNDS stays below FENCES;
 * a taker or a reader that stalls for 8,192 rounds could meet its fence again (-DSHORT_FENCE).
 *
 * Expected: 3 million states. Faults: NO_FENCE, NO_TAG, NO_LOOK, STORE_TAKE,
 * ONE_ATTEMPT, SHORT_FENCE.
 * Mark (REACHED): the last round is read whole.
 */
#ifndef OWNERS
#define OWNERS 3
#endif
#ifdef SHORT_FENCE
#define FENCES 4
#define ROUNDS 4
#else
#define FENCES 8
#define ROUNDS 3
#endif
#define FIRST 6
#define WORDS 3
#ifdef ONE_ATTEMPT
#define ATTEMPTS 1
#else
#define ATTEMPTS 4
#endif

/* { fence, round }; the round stands for the value, and for the time in DUTY and AT. */
#define pack(f, r) (((f) << 4) | (r))
#define fenceOf(w) ((w) >> 4)
#define roundOf(w) ((w) & 15)

byte DUTY = pack(FIRST % FENCES, 0);
byte SUMMARY[WORDS];

byte rounds;
#ifdef REACHED
#define MARK(x) assert(x)
#else
#define MARK(x) skip
#endif

proctype Owner() {
  byte duty, mine, old, at, attempts;
end_due:
  do
  :: d_step { rounds < ROUNDS -> duty = DUTY };
    /* ATOMIC duty.take */
    if :: d_step {
      if
#ifndef STORE_TAKE
      :: DUTY != duty
#endif
      :: else ->
        rounds++;
#ifdef NO_FENCE
        mine = pack(fenceOf(duty), rounds);
#else
        mine = pack((fenceOf(duty) + 1) % FENCES, rounds);
        assert(fenceOf(mine) == (FIRST + rounds) % FENCES);
#endif
        DUTY = mine
      fi;
      duty = 0
    } fi;
    if
    :: mine == 0
    :: else ->
      do
      :: at < WORDS ->
        /* ATOMIC periodic.put */
        old = SUMMARY[at];
#ifndef NO_LOOK
        if :: DUTY != mine -> break :: else fi;
#endif
        if :: d_step {
          if
          :: SUMMARY[at] == old -> SUMMARY[at] = mine; at++; attempts = 0
          :: else -> attempts++
          fi;
          old = 0;
          if :: attempts == ATTEMPTS -> at++; attempts = 0 :: else fi
        } fi
      :: else -> break
      od;
      if :: d_step {
        assert(DUTY != mine || SUMMARY[0] == mine && SUMMARY[1] == mine && SUMMARY[2] == mine);
        mine = 0; at = 0; old = 0; attempts = 0
      } fi
    fi
  od
}

proctype Reader() {
  byte head, word, at, last;
  bool mixed, other;
end_look:
  do
  :: head = SUMMARY[0];
    /* The code reads on after a word of another fence, and gives up then. */
    do
    :: at < WORDS - 1 && !other ->
      if :: d_step {
        at++;
        word = SUMMARY[at];
#ifndef NO_TAG
        other = (fenceOf(word) != fenceOf(head));
#endif
        mixed = mixed || roundOf(word) != roundOf(head);
        word = 0
      } fi
    :: else -> break
    od;
    if :: d_step {
      if
      :: other || fenceOf(SUMMARY[0]) != fenceOf(head)
      :: else ->
        assert(!mixed && roundOf(head) >= last && roundOf(head) <= rounds);
        last = roundOf(head);
        MARK(last < ROUNDS)
      fi;
      head = 0; at = 0; mixed = false; other = false
    } fi
  od
}

init {
  d_step { SUMMARY[0] = DUTY; SUMMARY[1] = DUTY; SUMMARY[2] = DUTY };
  atomic {
    byte n;
    for (n : 1 .. OWNERS) { run Owner() }
    run Reader()
  }
}
