/*
 * When to sum: src/protocol/stock.ts, tags stock.spend, stock.read, stock.publish, with time.record
 * (P4).
 *
 * RECORDERS threads record bad outcomes into shards of their own, in the bucket that their clock
 * says, take one out of the stock, and sum when it is used up or when they have not published one
 * for this bucket. The bucket changes once, at any step.
 *
 * Abstraction: NEED bad outcomes in the current bucket open the breaker (one bucket a window, the
 * minimum of calls is reached, good outcomes only raise the need and are left out: minimum.pml has
 * both); the CAS with its subtractions is one step, and so is opening. A recorder that is never
 * scheduled again is dead.
 *
 * Property, by assertion at every record: a bucket holds NEED outcomes or more while the breaker
 * is closed only if as many recorders, and one more for each outcome beyond, are in the midst of a
 * record. With none in its midst the breaker has opened on the outcome that fills the bucket.
 *
 * Bounds: RECORDS records a thread, ATTEMPTS sums. Residual: the version (mod 16) does not wrap.
 *
 * Expected: 0.4 million states with two recorders and the change of bucket, 1.7 million with three
 * in one bucket (-DONE_BUCKET). Faults: STORE_PUBLISH, NOT_SUBTRACTED, READ_LATE, OLD_BUCKET,
 * SPEND_FIRST, SECOND_CALLS (at a threshold of 1: the failures of one sum over all calls of a
 * second).
 * Mark (REACHED): the breaker opens after the change of bucket.
 */
#ifndef RECORDERS
#define RECORDERS 3
#endif
#ifndef RECORDS
#define RECORDS 2
#endif
#ifndef NEED
#define NEED 3
#endif
#define ATTEMPTS 2
#define NOTHING 2

byte version;
short left;                    /* STOCK is { version, left } */
bool open;
byte bucket;
byte shard[RECORDERS * 2];     /* a counter for each bucket and recorder */

#ifdef REACHED
#define MARK(x) assert(x)
#else
#define MARK(x) skip
#endif
byte midst[2];                 /* recorders in the midst of a record in a bucket */
#if RECORDERS == 2
#define recorded(b) (shard[b] + shard[2 + b])
#else
#define recorded(b) (shard[b] + shard[2 + b] + shard[4 + b])
#endif

proctype Recorder(byte me) {
  byte calls, number, relies, records, at, sum, now, before, attempts;
  short beforeLeft;
  bool mustSum;
  relies = NOTHING;
end_record:
  do
  :: d_step { records < RECORDS && !open -> records++; number = bucket };
#ifdef SPEND_FIRST
    if :: d_step { left--; mustSum = (left <= 0 || relies != number); midst[number]++ } fi;
#endif
    /* ATOMIC time.record */
    if :: d_step {
      shard[me * 2 + number]++;
#ifndef SPEND_FIRST
      midst[number]++;
#endif
      assert(open || bucket != number || recorded(number) < NEED + midst[number])
    } fi;
#ifndef SPEND_FIRST
    /* ATOMIC stock.spend */
    if :: d_step { left--; mustSum = (left <= 0 || relies != number) } fi;
#endif
    attempts = 0;
    do
    :: mustSum && attempts < ATTEMPTS ->
      /* ATOMIC stock.publish */
#ifndef READ_LATE
      if :: d_step { before = version; beforeLeft = left } fi;
#endif
      if :: open -> relies = NOTHING; break :: else fi;
#ifdef OLD_BUCKET
      now = number;
#else
      now = bucket;
#endif
      do
      :: at < RECORDERS -> if :: d_step { sum = sum + shard[at * 2 + now]; at++ } fi
      :: else -> break
      od;
#ifdef SECOND_CALLS
      at = 0;
      do
      :: at < RECORDERS -> if :: d_step { calls = calls + shard[at * 2 + now]; at++ } fi
      :: else -> break
      od;
#endif
      if
      :: sum >= NEED && calls <= sum ->
        /* ATOMIC state.decide, state.publish */
        if :: d_step { MARK(now == 0); open = true; relies = NOTHING; attempts = ATTEMPTS } fi
      :: else ->
#ifdef READ_LATE
        if :: d_step { before = version; beforeLeft = left } fi;
#endif
        if :: d_step {
          if
#ifdef STORE_PUBLISH
          :: true ->
#else
          :: version == before ->
#endif
            version = (before + 1) % 16;
#ifdef NOT_SUBTRACTED
            left = (NEED > sum + 1 -> NEED - sum : 1);
#else
            left = NEED - sum - (beforeLeft - left);
            left = (left > 1 -> left : 1);
#endif
            relies = now;
            mustSum = false
          :: else -> attempts++; relies = NOTHING
          fi
        } fi
      fi;
      if :: d_step { at = 0; sum = 0; calls = 0; before = 0; beforeLeft = 0; now = 0 } fi
    :: else -> break
    od;
    if :: d_step {
      midst[number]--; mustSum = false; attempts = 0; before = 0; beforeLeft = 0; number = 0;
      assert(open || recorded(bucket) < NEED + midst[bucket])
    } fi
  od
}

proctype Clock() {
  bucket = 1
}

init {
  atomic {
    byte n;
    for (n : 0 .. RECORDERS - 1) { run Recorder(n) }
#ifndef ONE_BUCKET
    run Clock()
#endif
  }
}
