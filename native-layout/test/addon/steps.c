/* Every call of busbar.h, made by the thread that JavaScript runs on. A member: a busbar_thread. */
#include "addon.h"

/*
 * JavaScript's permits are doubles. One that is no whole number in range was given by nobody, and
 * is made one that no breaker holds: late, as JavaScript has it.
 */
static int64_t permit_of(const addon_call *call, int at) {
  double value = addon_double(call, at, -1);
  bool is_whole = value >= -9007199254740991.0 && value <= 9007199254740991.0 &&
                  value == (double)(int64_t)value;
  return is_whole ? (int64_t)value : BUSBAR_REFUSED;
}

/* join(region, number): member */
static napi_value join(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  addon_region *region = (addon_region *)addon_pointer(&call, 0);
  busbar_thread *member = (busbar_thread *)calloc(1, sizeof *member);
  busbar_join(member, &region->region, (uint32_t)addon_double(&call, 1, 0));
  return addon_own(env, member);
}

/* find(member, name): breaker. Throws what busbar_find says. */
static napi_value find(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  busbar_thread *member = (busbar_thread *)addon_pointer(&call, 0);
  char name[2 * BUSBAR_MAX_NAME_BYTES];
  size_t length = addon_name(&call, 1, name, sizeof name);
  busbar_breaker *breaker = (busbar_breaker *)calloc(1, sizeof *breaker);
  busbar_status status = busbar_find(breaker, member, name, length);
  if (status == BUSBAR_OK) return addon_own(env, breaker);
  free(breaker);
  return addon_fail(env, busbar_status_text(status));
}

static napi_value slot(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  return addon_number(env, ((busbar_thread *)addon_pointer(&call, 0))->slot);
}

static napi_value now(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  return addon_number(env, busbar_now((busbar_thread *)addon_pointer(&call, 0)));
}

static napi_value leave(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  busbar_leave((busbar_thread *)addon_pointer(&call, 0));
  return NULL;
}

static napi_value mark_dead(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  busbar_mark_dead((busbar_thread *)addon_pointer(&call, 0));
  return NULL;
}

static napi_value try_acquire(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  busbar_breaker *breaker = (busbar_breaker *)addon_pointer(&call, 0);
  return addon_number(env, (double)busbar_try_acquire(breaker));
}

/* recordSuccess(breaker, permit, durationMs): whether it counted */
static napi_value record_success(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  busbar_breaker *breaker = (busbar_breaker *)addon_pointer(&call, 0);
  double duration_ms = addon_double(&call, 2, BUSBAR_NOT_MEASURED);
  return addon_boolean(env, busbar_record_success(breaker, permit_of(&call, 1), duration_ms));
}

static napi_value record_failure(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  busbar_breaker *breaker = (busbar_breaker *)addon_pointer(&call, 0);
  double duration_ms = addon_double(&call, 2, BUSBAR_NOT_MEASURED);
  return addon_boolean(env, busbar_record_failure(breaker, permit_of(&call, 1), duration_ms));
}

static napi_value release(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  busbar_breaker *breaker = (busbar_breaker *)addon_pointer(&call, 0);
  return addon_boolean(env, busbar_release(breaker, permit_of(&call, 1)));
}

static napi_value state(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  return addon_number(env, busbar_state((busbar_breaker *)addon_pointer(&call, 0)));
}

void addon_add_steps(napi_env env, napi_value exports) {
  addon_set(env, exports, "join", join);
  addon_set(env, exports, "find", find);
  addon_set(env, exports, "slot", slot);
  addon_set(env, exports, "now", now);
  addon_set(env, exports, "leave", leave);
  addon_set(env, exports, "markDead", mark_dead);
  addon_set(env, exports, "tryAcquire", try_acquire);
  addon_set(env, exports, "recordSuccess", record_success);
  addon_set(env, exports, "recordFailure", record_failure);
  addon_set(env, exports, "release", release);
  addon_set(env, exports, "state", state);
}
