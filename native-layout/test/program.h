/* What the programs of these tests share. None knows Node.js: a region is a file to them. */
#ifndef BUSBAR_TEST_PROGRAM_H
#define BUSBAR_TEST_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../busbar.h"

/* Says what was not so, and ends the program. */
#define EXPECT(condition, ...)                                  \
  do {                                                          \
    if (!(condition)) {                                         \
      fprintf(stderr, "%s:%d: not so: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__);                             \
      fprintf(stderr, "\n");                                    \
      exit(1);                                                  \
    }                                                           \
  } while (0)

/* Memory of exactly so many bytes: what lies behind it is the sanitizer's. */
static inline uint8_t *allocate(size_t bytes) {
  void *memory = NULL;
  EXPECT(posix_memalign(&memory, BUSBAR_LINE_BYTES, bytes) == 0, "%zu bytes", bytes);
  return (uint8_t *)memory;
}

/* A file's bytes in memory of their own. */
static inline uint8_t *load_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  EXPECT(file != NULL, "%s opens", path);
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  uint8_t *memory = allocate(*bytes);
  EXPECT(fread(memory, 1, *bytes, file) == *bytes, "%s is read", path);
  fclose(file);
  return memory;
}

/* xorshift32. */
static inline uint32_t draw(uint32_t *random) {
  uint32_t x = *random | 1u;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  *random = x;
  return x;
}

static inline double draw_part(uint32_t *random) { return draw(random) / 4294967296.0; }

/* A total of a breaker over all shards, when nobody counts. */
static inline int64_t total_of(const busbar_breaker *breaker, size_t offset) {
  int64_t sum = 0;
  for (int32_t slot = 0; slot <= bb_region_of(breaker)->max_threads; slot++) {
    uint8_t *shard = (uint8_t *)bb_shard_of(breaker, slot);
    sum += bb_load64((const int64_t *)(const void *)(shard + offset));
  }
  return sum;
}

#define TOTAL(breaker, name) total_of(breaker, offsetof(busbar_totals, name))

/* The same of `words` counters that stand in each tally from `offset` on. */
static inline int64_t tally_of(const busbar_breaker *breaker, size_t offset, size_t words) {
  int64_t sum = 0;
  const busbar_tally *first = breaker->tally - breaker->thread->slot;
  for (int32_t slot = 0; slot <= bb_region_of(breaker)->max_threads; slot++) {
    const uint8_t *tally = (const uint8_t *)&first[slot];
    const int64_t *counters = (const int64_t *)(const void *)(tally + offset);
    for (size_t word = 0; word < words; word++) sum += bb_load64(&counters[word]);
  }
  return sum;
}

#define TALLY(breaker, name)                        \
  tally_of(breaker, offsetof(busbar_tally, name), \
           sizeof(((busbar_tally *)NULL)->name) / sizeof(int64_t))

#endif
