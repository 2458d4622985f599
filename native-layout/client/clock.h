/*
 * Time in ms since the region was made, and how a thread goes without reading its clock while a
 * keeper ticks: src/time/monotonic.ts has the argument, this is the same in C.
 *
 * One thing differs. A native thread that finds the keeper asleep does not wake it: that takes
 * Atomics.notify, which only JavaScript has. It reads its own clock until a JavaScript thread does.
 * (Define BUSBAR_ON_ASLEEP where there is a way to call JavaScript.)
 */
#ifndef BUSBAR_CLIENT_CLOCK_H
#define BUSBAR_CLIENT_CLOCK_H

#include "region.h"

/*
 * The clock that Node.js reads in process.hrtime(), in ms. On Linux that is CLOCK_MONOTONIC. On
 * other systems define BUSBAR_NOW_MS(region) before including busbar.h: an expression of type
 * double.
 */
#ifndef BUSBAR_NOW_MS
#if !defined(__linux__)
#error "define BUSBAR_NOW_MS: the clock of process.hrtime() on this system, in ms"
#endif
#include <time.h>
#if !defined(CLOCK_MONOTONIC)
#error "clock_gettime is hidden: compile with -std=gnu11, or define _POSIX_C_SOURCE 200112L first"
#endif
static inline double bb_monotonic_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}
#define BUSBAR_NOW_MS(region) bb_monotonic_now()
#endif

#ifndef BUSBAR_ON_ASLEEP
#define BUSBAR_ON_ASLEEP() (void)0
#endif

/* The most calls in a row that take one tick on trust. */
#define BB_MAX_GLANCES 256

typedef struct {
  double current; /* the time of the last refresh */
  double latest;  /* the time of the last glance was at most this */
  double bound;
  int32_t tick;
  uint32_t glances;
  uint32_t allowance;
} bb_clock;

static inline void bb_refresh(bb_clock *clock, const busbar_region *region) {
  /* Everything that is compared with a time, or stored as one, was read from this clock. The look
   * at the manual clock is seq_cst: a thread told of an advance must see it. */
  clock->current = region->manual_clock ? (double)bb_load64(&region->header->manual_clock) / 1000
                                        : BUSBAR_NOW_MS(region) - region->origin_ms;
}

static inline double bb_now(bb_clock *clock, const busbar_region *region) {
  bb_refresh(clock, region);
  return clock->current;
}

static inline void bb_trust(bb_clock *clock, const busbar_region *region, int32_t tick) {
  if (tick != clock->tick) {
    clock->tick = tick;
    clock->bound = clock->current + 2 * region->tick_ms;
    clock->allowance = 1;
    /* ATOMIC monotonic.active
     *   publishes: that somebody makes use of the keeper.
     *   order:     seq_cst, once a tick: the keeper clears the word and then looks at it again. */
    bb_store(&region->header->active, 1);
  }
  if (!(clock->current < clock->bound)) return;
  clock->latest = clock->bound;
  clock->glances = clock->allowance;
  clock->allowance = clock->allowance < BB_MAX_GLANCES ? 2 * clock->allowance : BB_MAX_GLANCES;
}

static inline void bb_look(bb_clock *clock, const busbar_region *region) {
  double before = clock->current;
  bb_refresh(clock, region);
  clock->latest = clock->current;
  clock->glances = 0;
  if (region->manual_clock || !(region->tick_ms > 0)) return;
  int32_t tick = bb_peek(&region->header->tick);
  if (tick > BUSBAR_NO_KEEPER && tick <= BUSBAR_LAST_TICK) {
    bb_trust(clock, region, tick);
  } else if (tick == BUSBAR_KEEPER_ASLEEP && clock->current - before < region->tick_ms) {
    /* Two looks within a tick: the keeper would have saved the second. */
    BUSBAR_ON_ASLEEP();
  }
}

/* Relaxed, as in JavaScript a plain read: an old tick misleads for no more than BB_MAX_GLANCES. */
static inline void bb_glance(bb_clock *clock, const busbar_region *region) {
  if (clock->glances > 0 && bb_peek(&region->header->tick) == clock->tick) {
    clock->glances--;
  } else {
    bb_look(clock, region);
  }
}

#endif
