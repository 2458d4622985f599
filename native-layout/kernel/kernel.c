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

/* Fills in the `index`-th breaker of the area: number `breaker` of the directory. */
EXPORT(hold) busbar_breaker *hold(area *own, uint32_t index, uint32_t breaker, uint32_t definition,
                                  uint8_t *record) {
  bb_entry entry;
  entry.number = breaker;
  entry.definition = &own->region.definitions[definition];
  entry.options = entry.definition->options;
  entry.shape = bb_shape_of(&entry.options, own->region.max_threads);
  entry.record = record;
  bb_fill_in(&own->breakers[index], &own->thread, &entry);
  return &own->breakers[index];
}

/* Numbers that are no permit are given to no call: they count as late. */
static int64_t permit_of(double number) {
  int64_t permit = __builtin_wasm_trunc_saturate_s_i64_f64(number);
  return (double)permit == number ? permit : BB_MOVED;
}

EXPORT(tryAcquire) double try_acquire(busbar_breaker *breaker) {
  return (double)busbar_try_acquire(breaker);
}

EXPORT(recordSuccess) bool record_success(busbar_breaker *breaker, double permit, double ms) {
  return busbar_record_success(breaker, permit_of(permit), ms);
}

EXPORT(recordFailure) bool record_failure(busbar_breaker *breaker, double permit, double ms) {
  return busbar_record_failure(breaker, permit_of(permit), ms);
}

EXPORT(release) void release(busbar_breaker *breaker, double permit) {
  busbar_release(breaker, permit_of(permit));
}

/* The STATE word by which this thread was last refused; -1: it was not. */
EXPORT(refusedBy) int32_t refused_by(const busbar_breaker *breaker) {
  return (int32_t)breaker->refused_by;
}
