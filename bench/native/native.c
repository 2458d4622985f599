/*
 * What the calls of busbar.h cost on threads of their own, with no JavaScript in the way: the
 * physical limit of what busbar does. Reads a region that registry.dump() wrote, plays its keeper,
 * and runs one kind of call on N threads for a time.
 *
 *   native <file> <breaker> <load | refusal | settle> <threads> <ms>
 *
 * Prints { "operations": ..., "nanoseconds": ... }, summed over the threads; an exit code other than
 * 0 means that the calls did not come out as they must.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../native-layout/busbar.h"

#define MAX_THREADS 64
#define BATCH 1000
#define WARM_UP_MS 20
#define TICK_US 5000

typedef struct {
  pthread_t thread;
  int64_t operations;
  double nanoseconds;
  bool is_right;
} worker;

static busbar_region region;
static const char *breaker_name;
static enum { LOAD, REFUSAL, SETTLE } kind;
static double measure_ms;
static pthread_barrier_t gate;
static int stopped;

static void *keep(void *unused) {
  while (__atomic_load_n(&stopped, __ATOMIC_ACQUIRE) == 0) {
    usleep(TICK_US);
    int32_t tick = bb_load(&region.header->tick);
    bb_store(&region.header->tick, tick > BUSBAR_NO_KEEPER ? tick + 1 : BUSBAR_FIRST_TICK);
  }
  return unused;
}

/* A batch of calls; how many came out as they must. Not inlined, so that none is left out. */
static int64_t __attribute__((noinline)) batch(busbar_breaker *breaker) {
  int64_t right = 0;
  for (int call = 0; call < BATCH; call++) {
    if (kind == LOAD) {
      right += bb_load(&breaker->record->incarnation) == 0;
    } else if (kind == REFUSAL) {
      right += busbar_try_acquire(breaker) == BUSBAR_REFUSED;
    } else {
      int64_t permit = busbar_try_acquire(breaker);
      right += permit != BUSBAR_REFUSED && busbar_record_success(breaker, permit, BUSBAR_NOT_MEASURED);
    }
  }
  return right;
}

static void *work(void *own) {
  worker *me = own;
  busbar_thread thread;
  busbar_breaker breaker;
  busbar_join(&thread, &region, 1);
  me->is_right = busbar_find(&breaker, &thread, breaker_name, strlen(breaker_name)) == BUSBAR_OK;
  double warm = bb_monotonic_now() + WARM_UP_MS;
  while (me->is_right && bb_monotonic_now() < warm) me->is_right = batch(&breaker) == BATCH;
  pthread_barrier_wait(&gate);
  double start = bb_monotonic_now(), now = start;
  while (me->is_right && now - start < measure_ms) {
    me->is_right = batch(&breaker) == BATCH;
    me->operations += BATCH;
    now = bb_monotonic_now();
  }
  me->nanoseconds = (now - start) * 1e6;
  busbar_leave(&thread);
  return NULL;
}

static void *read_file(const char *path, uint64_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
  *bytes = (uint64_t)ftell(file);
  void *memory = NULL;
  rewind(file);
  if (posix_memalign(&memory, 4096, *bytes) != 0) return NULL;
  return fread(memory, 1, *bytes, file) == *bytes ? memory : NULL;
}

int main(int count, char **words) {
  if (count != 6) return 2;
  uint64_t bytes = 0;
  void *memory = read_file(words[1], &bytes);
  int threads = atoi(words[4]);
  if (memory == NULL || threads < 1 || threads > MAX_THREADS) return 2;
  if (busbar_attach(&region, memory, bytes) != BUSBAR_OK) return 2;
  breaker_name = words[2];
  kind = strcmp(words[3], "load") == 0 ? LOAD : strcmp(words[3], "refusal") == 0 ? REFUSAL : SETTLE;
  measure_ms = atof(words[5]);
  static worker workers[MAX_THREADS];
  pthread_t keeper;
  pthread_barrier_init(&gate, NULL, (unsigned)threads);
  pthread_create(&keeper, NULL, keep, NULL);
  for (int i = 0; i < threads; i++) pthread_create(&workers[i].thread, NULL, work, &workers[i]);
  int64_t operations = 0;
  double nanoseconds = 0;
  bool is_right = true;
  for (int i = 0; i < threads; i++) {
    pthread_join(workers[i].thread, NULL);
    operations += workers[i].operations;
    nanoseconds += workers[i].nanoseconds;
    is_right = is_right && workers[i].is_right;
  }
  __atomic_store_n(&stopped, 1, __ATOMIC_RELEASE);
  pthread_join(keeper, NULL);
  printf("{ \"operations\": %lld, \"nanoseconds\": %.0f }\n", (long long)operations, nanoseconds);
  return is_right ? 0 : 1;
}
