/*
 * Threads that Node.js knows nothing of: a crew of pthreads that all make the same calls of one
 * breaker, from the moment that JavaScript opens a gate, and count what they are answered.
 */
#include <pthread.h>

#include "addon.h"

#define MAX_CREW 16

/* Of its threads in the region, so that each is told from those of steps.c and vanish.c. */
#define FIRST_NUMBER 100000
static int32_t threads_made = 0;

/* In the first word of the gate: end all calls. */
#define OVER 2

/* What every call is said to have taken; worker.mjs has another. */
#define DURATION_MS 0.25

/* What is done with a permit. */
enum { SUCCEED, FAIL, MIXED, UNTIL_REFUSED, TRIALS };

typedef struct {
  double admitted;
  double refused;
  double succeeded;
  double failed;
  double ignored;
  double late;
  double trials; /* among the admitted */
  double gone; /* asked of a breaker that was removed */
} addon_counts;

typedef struct crew crew;

typedef struct {
  crew *of;
  uint32_t random;
  addon_counts counts;
} worker;

struct crew {
  const busbar_region *region;
  int32_t *gate; /* { 0: closed, OVER, else open; how many wait }, shared with JavaScript */
  napi_ref keeps_region; /* the memory of both must outlive the threads */
  napi_ref keeps_gate;
  char name[BUSBAR_MAX_NAME_BYTES + 1];
  size_t length;
  int mode;
  double failing; /* the part of mixed outcomes that fail */
  double milliseconds;
  int size;
  int32_t done;
  bool is_joined;
  pthread_t threads[MAX_CREW];
  worker workers[MAX_CREW];
};

/* xorshift32, in [0, 1). */
static double draw(worker *worker) {
  uint32_t x = worker->random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  worker->random = x;
  return x / 4294967296.0;
}

static int outcome_of(worker *worker) {
  int mode = worker->of->mode;
  if (mode == SUCCEED) return 0;
  if (mode == FAIL || mode == UNTIL_REFUSED) return 1;
  double number = draw(worker);
  if (number < 0.1) return 2;
  return number < 0.1 + worker->of->failing;
}

static void settle(worker *worker, busbar_breaker *breaker, int64_t permit) {
  addon_counts *counts = &worker->counts;
  int outcome = outcome_of(worker);
  bool counted = outcome == 0   ? busbar_record_success(breaker, permit, DURATION_MS)
                 : outcome == 1 ? busbar_record_failure(breaker, permit, DURATION_MS)
                                : busbar_release(breaker, permit);
  if (!counted) counts->late++;
  else if (outcome == 0) counts->succeeded++;
  else if (outcome == 1) counts->failed++;
  else counts->ignored++;
}

static void make_calls(worker *worker, busbar_thread *member, busbar_breaker *breaker) {
  crew *of = worker->of;
  addon_counts *counts = &worker->counts;
  double end = busbar_now(member) + of->milliseconds;
  while (busbar_now(member) < end && bb_load(&of->gate[0]) != OVER) {
    int64_t permit = busbar_try_acquire(breaker);
    if (permit == BUSBAR_GONE) {
      counts->gone++;
      /* Where there is none of that name yet, the old one says so again. */
      busbar_find(breaker, member, of->name, of->length);
      continue;
    }
    if (permit == BUSBAR_REFUSED) {
      counts->refused++;
      if (of->mode == UNTIL_REFUSED) return;
      continue;
    }
    counts->admitted++;
    if (permit >= BUSBAR_FIRST_TRIAL_PERMIT) counts->trials++;
    /* Trials are left in flight, so that nothing makes room for more. */
    if (of->mode != TRIALS) settle(worker, breaker, permit);
  }
}

static void *work(void *data) {
  worker *self = (worker *)data;
  crew *of = self->of;
  busbar_thread member;
  busbar_breaker breaker;
  busbar_join(&member, of->region, FIRST_NUMBER + (uint32_t)bb_add(&threads_made, 1));
  bool is_found = busbar_find(&breaker, &member, of->name, of->length) == BUSBAR_OK;
  bb_add(&of->gate[1], 1);
  while (bb_load(&of->gate[0]) == 0) {
  }
  if (is_found) make_calls(self, &member, &breaker);
  busbar_leave(&member);
  bb_add(&of->done, 1);
  return NULL;
}

static void join_all(crew *of) {
  if (of->is_joined) return;
  of->is_joined = true;
  for (int thread = 0; thread < of->size; thread++) pthread_join(of->threads[thread], NULL);
}

static void end_crew(napi_env env, void *data, void *hint) {
  crew *of = (crew *)data;
  (void)hint;
  if (!of->is_joined) bb_store(&of->gate[0], OVER);
  join_all(of);
  napi_delete_reference(env, of->keeps_gate);
  napi_delete_reference(env, of->keeps_region);
  free(of);
}

static double number_in(napi_env env, napi_value object, const char *name) {
  napi_value value = NULL;
  double number = 0;
  napi_get_named_property(env, object, name, &value);
  napi_get_value_double(env, value, &number);
  return number;
}

/* startCrew(region, name, gate, { threads, mode, failing, milliseconds, seed }): crew */
static napi_value start_crew(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  void *gate = NULL;
  napi_value options = call.at[3];
  crew *of = (crew *)calloc(1, sizeof *of);
  napi_get_typedarray_info(env, call.at[2], NULL, NULL, &gate, NULL, NULL);
  napi_create_reference(env, call.at[0], 1, &of->keeps_region);
  napi_create_reference(env, call.at[2], 1, &of->keeps_gate);
  of->region = &((addon_region *)addon_pointer(&call, 0))->region;
  of->gate = (int32_t *)gate;
  of->length = addon_name(&call, 1, of->name, sizeof of->name);
  of->mode = (int)number_in(env, options, "mode");
  of->failing = number_in(env, options, "failing");
  of->milliseconds = number_in(env, options, "milliseconds");
  uint32_t seed = (uint32_t)number_in(env, options, "seed");
  int size = (int)number_in(env, options, "threads");
  while (of->size < size && of->size < MAX_CREW) {
    worker *worker = &of->workers[of->size];
    worker->of = of;
    worker->random = (seed + (uint32_t)of->size * 7919u) | 1u;
    if (pthread_create(&of->threads[of->size], NULL, work, worker) != 0) break;
    of->size++;
  }
  napi_value object = NULL;
  napi_create_external(env, of, end_crew, NULL, &object);
  if (of->size < size) return addon_fail(env, "no more threads");
  return object;
}

/* isDone(crew): whether all of its threads have ended, or are about to */
static napi_value is_done(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  crew *of = (crew *)addon_pointer(&call, 0);
  return addon_boolean(env, bb_load(&of->done) == of->size);
}

static void put(napi_env env, napi_value object, const char *name, double value) {
  napi_set_named_property(env, object, name, addon_number(env, value));
}

/* joinCrew(crew): the counts of each thread. Blocks until all have ended. */
static napi_value join_crew(napi_env env, napi_callback_info info) {
  addon_call call = addon_arguments(env, info);
  crew *of = (crew *)addon_pointer(&call, 0);
  napi_value all = NULL;
  join_all(of);
  napi_create_array(env, &all);
  for (int thread = 0; thread < of->size; thread++) {
    const addon_counts *counts = &of->workers[thread].counts;
    napi_value object = NULL;
    napi_create_object(env, &object);
    put(env, object, "admitted", counts->admitted);
    put(env, object, "refused", counts->refused);
    put(env, object, "succeeded", counts->succeeded);
    put(env, object, "failed", counts->failed);
    put(env, object, "ignored", counts->ignored);
    put(env, object, "late", counts->late);
    put(env, object, "trials", counts->trials);
    put(env, object, "gone", counts->gone);
    napi_set_element(env, all, (uint32_t)thread, object);
  }
  return all;
}

void addon_add_crews(napi_env env, napi_value exports) {
  addon_set(env, exports, "startCrew", start_crew);
  addon_set(env, exports, "isDone", is_done);
  addon_set(env, exports, "joinCrew", join_crew);
}
