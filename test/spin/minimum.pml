/*
 * Below the minimum of calls: src/protocol/stock.ts, tags stock.spend, stock.read, stock.publish,
 * with time.record (P4). What stock.pml leaves out: good outcomes, the minimum, and sparing.
 *
 * RECORDERS threads record good and bad outcomes, in any order, into shards of their own. Each
 * takes one out of the stock, unless it is a good one of a thread that spares, and sums when the
 * stock is used up or when its thread relies on none. A breaker opens with MIN calls of which half
 * are bad.
 *
 * Abstraction: one bucket, one generation. A counter is read in one step; so is the CAS with its
 * subtractions, since in the code each one lost is an outcome taken out. Opening is one step. A
 * recorder that is never scheduled again is dead.
 *
 * Property, by assertion whenever an outcome is recorded or finished: a closed breaker would be
 * closed without some of the outcomes whose recorders are in their midst. And at an opening, when
 * its first sum had ended, half of the outcomes there were bad.
 *
 * Bounds: RECORDS records a thread, ATTEMPTS sums. Residual: the version (mod 16) does not wrap.
 *
 * Expected: 5.8 million states with two recorders, 6.0 million with three. Faults: GOOD_FREE,
 * SPARE_EARLY, ALWAYS_HELD, NOT_SUBTRACTED, OVER_SUM, SUM_ONCE. Marks (REACHED with one of these):
 * GOOD_OPENS, SPARED.
 */
#ifndef RECORDERS
#define RECORDERS 2
#endif
#ifndef RECORDS
#define RECORDS 3
#endif
#ifndef MIN
#define MIN 3
#endif
#define ATTEMPTS 2

byte version;
short left;                    /* STOCK is { version, held, left } */
bool held;                     /* whether the sum behind it found the minimum */
bool open;
byte good[RECORDERS];          /* a shard each */
byte bad[RECORDERS];

/* In their midst, of outcomes that are recorded. */
byte pendingGood;
byte pendingBad;

#if RECORDERS == 2
#define GOODS (good[0] + good[1])
#define BADS (bad[0] + bad[1])
#else
#define GOODS (good[0] + good[1] + good[2])
#define BADS (bad[0] + bad[1] + bad[2])
#endif
#define reaches(g, b) ((g) + (b) >= MIN && (b) >= (g))
/* The fewest calls are left without all pending ones, the lowest rate without the bad ones. */
#define IN_TIME (open || GOODS + BADS - pendingGood - pendingBad < MIN || BADS - pendingBad < GOODS)

#ifdef REACHED
#define MARK(x) assert(x)
#else
#define MARK(x) skip
#endif
#ifdef GOOD_OPENS
#define OPENS(bad) MARK(bad == 1)
#else
#define OPENS(bad) skip
#endif
#ifdef SPARED
#define SPARES MARK(BADS == 0)
#else
#define SPARES skip
#endif

inline sumUp(g, b) {
  g = 0;
  b = 0;
  do
  :: at < RECORDERS ->
    if :: d_step { g = g + good[at] } fi;
    if :: d_step { b = b + bad[at]; at++ } fi
  :: else -> break
  od;
  if :: d_step { at = 0 } fi
}

proctype Recorder(byte me) {
  byte records, attempts, at, before, goods, bads, firstGoods, firstBads, goodsThen, badsThen;
  short beforeLeft;
  bool isBad, mustSum, relies, spares;
end_record:
  do
  :: records < RECORDS && !open ->
    records++;
    if :: isBad = true :: isBad = false fi;
    /* ATOMIC time.record */
    if :: d_step {
      if
      :: isBad -> bad[me]++; pendingBad++
      :: else -> good[me]++; pendingGood++
      fi;
      assert(IN_TIME)
    } fi;
    if
    :: !isBad && spares -> SPARES; goto finished
#ifdef GOOD_FREE
    :: !isBad && !spares -> mustSum = !relies
    :: isBad ->
#else
    :: isBad || !spares ->
#endif
      /* ATOMIC stock.spend */
      if :: d_step {
        mustSum = (left <= 1 || !relies);
        spares = (spares || (!mustSum && held));
        left--
      } fi
    fi;
    attempts = 0;
    do
    :: mustSum && attempts < ATTEMPTS ->
      /* ATOMIC stock.read */
      if :: d_step { before = version; beforeLeft = left } fi;
      if :: open -> relies = false; break :: else fi;
      sumUp(goods, bads);
      if
      :: reaches(goods, bads) ->
        if :: d_step {
          firstGoods = goods; firstBads = bads; goodsThen = GOODS; badsThen = BADS
        } fi;
#ifndef SUM_ONCE
        /* surelyReaches: the bad ones of the first sum with the good ones of the second. */
        sumUp(goods, bads);
#endif
        if
        :: firstBads >= goods && firstBads >= firstGoods ->
          /* ATOMIC state.decide, state.publish */
          if :: d_step {
            assert(open || badsThen >= goodsThen);
            OPENS(isBad);
            open = true;
            relies = false;
            spares = false
          } fi;
          break
        :: else
        fi
      :: else
      fi;
      /* ATOMIC stock.publish */
      if :: d_step {
        if
#ifdef OVER_SUM
        :: true ->
#else
        :: version == before ->
#endif
          version = (version + 1) % 16;
          relies = true;
          spares = (goods + bads >= MIN);
          held = spares;
#ifdef ALWAYS_HELD
          held = true;
#endif
#ifdef SPARE_EARLY
          spares = true;
#endif
          beforeLeft = beforeLeft - left;
#ifdef NOT_SUBTRACTED
          beforeLeft = 0;
#endif
          left = (goods + bads < MIN -> MIN - goods - bads : goods - bads) - beforeLeft;
          left = (left > 1 -> left : 1);
          mustSum = false
        :: else -> attempts++; relies = false; spares = false
        fi
      } fi
    :: else -> break
    od;
finished:
    if :: d_step {
      if
      :: isBad -> pendingBad--
      :: else -> pendingGood--
      fi;
      assert(IN_TIME);
      mustSum = false; isBad = false; attempts = 0; before = 0; beforeLeft = 0;
      goods = 0; bads = 0; firstGoods = 0; firstBads = 0; goodsThen = 0; badsThen = 0
    } fi
  :: else -> break
  od
}

init {
  atomic {
    byte n;
    for (n : 0 .. RECORDERS - 1) { run Recorder(n) }
  }
}
