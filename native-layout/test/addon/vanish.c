/* A native thread that takes permits and is gone: no outcome, no busbar_leave. */
#include <pthread.h>

#include "addon.h"

#define MAX_TAKEN 64
/* Of such a thread in the region: the tests have one at a time. */
#define NUMBER 200000

typedef struct {
  const busbar_region *region;
  busbar_thread *member; /* outlives the thread: who knows of its end marks it */
  char name[BUSBAR_MAX_NAME_BYTES + 1];
  size_t length;
  uint32_t count;
  double taken[MAX_TAKEN];
} short_life;

static void *live(void *data) {
  short_life *life = (short_life *)data;
  busbar_breaker breaker;
  busbar_join(life->member, life->region, NUMBER);
  if (busbar_find(&breaker, life->member, life->name, life->length) == BUSBAR_OK) {
    for (uint32_t at = 0; at < life->count; at++) {
      life->taken[at] = (double)busbar_try_acquire(&breaker);
    }
  }
  pthread_exit(NULL);
}

/* vanish(region, name, count): { member, permits } of a thread that has ended by now */
static napi_value vanish(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  short_life life;
  memset(&life, 0, sizeof life);
  life.region = &((addon_region *)addon_pointer(&call, 0))->region;
  life.member = (busbar_thread *)calloc(1, sizeof *life.member);
  life.length = addon_name(&call, 1, life.name, sizeof life.name);
  life.count = (uint32_t)addon_double(&call, 2, 0);
  if (life.count > MAX_TAKEN) life.count = MAX_TAKEN;
  pthread_t thread;
  napi_value object = NULL, permits = NULL;
  napi_value member = addon_own(env, life.member);
  if (pthread_create(&thread, NULL, live, &life) != 0) return addon_fail(env, "no more threads");
  pthread_join(thread, NULL);
  napi_create_object(env, &object);
  napi_create_array(env, &permits);
  for (uint32_t at = 0; at < life.count; at++) {
    napi_set_element(env, permits, at, addon_number(env, life.taken[at]));
  }
  napi_set_named_property(env, object, "member", member);
  napi_set_named_property(env, object, "permits", permits);
  return object;
}

void addon_add_vanishing(napi_env env, napi_value exports) {
  addon_set(env, exports, "vanish", vanish);
}
