/*
 * The client of busbar.h as a WebAssembly module: `kernel: 'wasm'` of a registry. The region stands
 * at address 0 of a shared memory; behind it each slot has an area, for the stack of the thread that
 * holds the slot and for what it knows of each breaker. Every thread has an instance of its own.
 *
 * There is no static data: all threads would share it. Built by scripts/kernel.mjs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMPORT(name) __attribute__((import_module("host"), import_name(#name)))
#define EXPORT(name) __attribute__((export_name(#name)))

/* The clock to be read into the area; a damaged word to be counted and warned of; a keeper to be
 * woken; a transition to be told of; whether this thread listens to those of a breaker. A time that
 * JavaScript returned would be boxed. */
void host_refresh(void) IMPORT(refresh);
void host_damage(uint32_t what) IMPORT(damage);
void host_wake(void) IMPORT(wake);
void host_news(void) IMPORT(news);
bool host_listens_to(uint32_t breaker) IMPORT(listensTo);
#define BUSBAR_NOW_MS(region) (host_refresh(), ((const double *)(const void *)(region))[-1])
#define BUSBAR_ON_DAMAGE(what) host_damage(what)
#define BUSBAR_ON_ASLEEP() host_wake()
#define BUSBAR_ON_NEWS() host_news()
#define BUSBAR_LISTENS_TO(breaker) host_listens_to(breaker)
/* A breaker with other options, or another one, is JavaScript's to look up: it calls hold. */
#define BUSBAR_LOOKS_ELSEWHERE

#include "../busbar.h"

/* What an area holds besides its stack. */
typedef struct {
  double now_ms; /* process.hrtime() */
  busbar_region region;
  busbar_thread thread;
  busbar_breaker breakers[];
} area;

_Static_assert(offsetof(area, now_ms) == 0 && offsetof(area, region) == 8, "as BUSBAR_NOW_MS says");

EXPORT(headBytes) uint32_t head_bytes(void) { return offsetof(area, breakers); }

EXPORT(breakerBytes) uint32_t breaker_bytes(void) { return sizeof(busbar_breaker); }

/* Attaches, for the thread of that number, which holds `slot`: JavaScript has claimed it. A
 * busbar_status. */
EXPORT(enter) uint32_t enter(area *own, double bytes, int32_t slot, uint32_t thread) {
  busbar_status status = bb_attach(&own->region, NULL, (uint64_t)bytes);
  bb_begin(&own->thread, &own->region, thread);
  own->thread.slot = slot;
  return status;
}

/*
 * Fills in what the area holds of breaker `number`, whose entry in the directory JavaScript has
 * read as `word`. Where that is another by now, or not sound, every call of it says to look again.
 */
EXPORT(hold) busbar_breaker *hold(area *own, uint32_t number, int64_t word, uint8_t *record) {
  busbar_breaker *breaker = &own->breakers[number];
  uint64_t lines = (uint64_t)(record - own->region.arena) / BUSBAR_LINE_BYTES;
  bb_entry entry;
  busbar_status status = bb_read_entry(&own->region, number, lines, &entry);
  breaker->record = (busbar_record *)(void *)record;
  breaker->edition = BB_NEVER;
  breaker->refused_by = BB_NEVER;
  if (status == BUSBAR_OK && entry.word == word) bb_fill_in(breaker, &own->thread, &entry);
  return breaker;
}

/* Numbers that are no permit are given to no call: they count as late. */
static int64_t permit_of(double number) {
  int64_t permit = __builtin_wasm_trunc_saturate_s_i64_f64(number);
  return (double)permit == number ? permit : BB_MOVED;
}

EXPORT(tryAcquire) double try_acquire(busbar_breaker *breaker) {
  return (double)busbar_try_acquire(breaker);
}

/* These say how the call was settled: a bb_settled. BB_GONE, as BUSBAR_GONE: look again. */

EXPORT(recordSuccess) int32_t record_success(busbar_breaker *breaker, double permit, double ms) {
  return bb_record_outcome(breaker, permit_of(permit), ms, BB_GOOD);
}

EXPORT(recordFailure) int32_t record_failure(busbar_breaker *breaker, double permit, double ms) {
  return bb_record_outcome(breaker, permit_of(permit), ms, BB_FAILED);
}

EXPORT(release) int32_t release(busbar_breaker *breaker, double permit) {
  return bb_release(breaker, permit_of(permit));
}

/* The STATE word by which this thread was last refused; -1: it was not. */
EXPORT(refusedBy) int32_t refused_by(const busbar_breaker *breaker) {
  return (int32_t)breaker->refused_by;
}
