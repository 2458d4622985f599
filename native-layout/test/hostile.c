/*
 * hostile <region> <seed> <rounds> <breaker>...
 *
 * What the client does with memory that is damaged: every word of the header replaced by extreme
 * ones, regions cut short, records, slots and definitions filled with random bits. Whatever it
 * finds, it answers with permits or refusals, in bounded time and within the memory it was given.
 * Sanitizers watch over the latter.
 */
#include "program.h"

#define CALLS 60

static uint8_t *original;
static size_t length;
static int breakers;
static char **names;
static uint32_t seed;
static long attached, found;

static const uint32_t EXTREMES[] = {
    0u,          1u,          2u,          0x7fffffffu, 0x80000000u, 0xffffffffu, 0x0000ffffu,
    0x3ff00000u, 0x7fefffffu, 0x7ff00000u, 0x7ff80000u, 0xfff00000u, 0xbff00000u, 0x41dfffffu,
};
#define EXTREME_COUNT (sizeof EXTREMES / sizeof EXTREMES[0])

/* Permits that were given, and others that were not. */
static int64_t permit_near(int64_t permit) {
  switch (draw(&seed) % 6) {
    case 0: return (int64_t)(((uint64_t)draw(&seed) << 32) | draw(&seed));
    case 1: return BUSBAR_FIRST_TRIAL_PERMIT + (int64_t)draw(&seed);
    case 2: return draw(&seed) & 0xff;
    default: return permit;
  }
}

static void use(busbar_breaker *breaker) {
  for (int call = 0; call < CALLS; call++) {
    int64_t permit = busbar_try_acquire(breaker);
    bool is_plain = permit >= 0 && permit < INT64_C(1) << BUSBAR_STATE_GENERATION_BITS;
    bool is_trial =
        permit >= BUSBAR_FIRST_TRIAL_PERMIT && permit < 2 * BUSBAR_FIRST_TRIAL_PERMIT;
    bool is_none = permit == BUSBAR_REFUSED || permit == BUSBAR_GONE;
    EXPECT(is_none || is_plain || is_trial, "%lld", (long long)permit);
    EXPECT(busbar_state(breaker) <= BUSBAR_METRICS_ONLY, "a state");
    double duration_ms = draw(&seed) % 100;
    switch (draw(&seed) % 4) {
      case 0: busbar_record_success(breaker, permit_near(permit), duration_ms); break;
      case 1: busbar_release(breaker, permit_near(permit)); break;
      default: busbar_record_failure(breaker, permit_near(permit), duration_ms);
    }
  }
}

/* Random bits: half of them like extremes, for those are rarely met by chance. */
static void scatter(uint8_t *memory, size_t from, size_t to, uint32_t sparing) {
  for (size_t at = from; at + 4 <= to; at += 4) {
    if (draw(&seed) % sparing != 0) continue;
    uint32_t bits = draw(&seed);
    if (bits % 2 == 0) bits = EXTREMES[draw(&seed) % EXTREME_COUNT];
    memcpy(memory + at, &bits, 4);
  }
}

/* Has the thread look again, at what may have been damaged by now. */
static void damage_held(const busbar_breaker *breaker) {
  const busbar_region *region = bb_region_of(breaker);
  int64_t *entry = &region->directory[breaker->number];
  uint64_t number = BB_GET(ENTRY, DEFINITION, *entry) - 1;
  number %= (uint64_t)region->definition_count;
  uint8_t *definition = (uint8_t *)&region->definitions[number];
  switch (draw(&seed) % 6) {
    case 0: scatter((uint8_t *)entry, 0, sizeof *entry, 2); break;
    case 1: scatter(definition, 0, sizeof(busbar_definition), 1 + draw(&seed) % 200); break;
    case 2: *entry ^= (int64_t)BB_PUT(ENTRY, EDITION, draw(&seed)); break;
    case 3: breaker->record->state = (int32_t)(draw(&seed) & ~7u) | (int32_t)BB_REMOVED; break;
    case 4: region->header->overflow_used = 1; break;
    default: breaker->record->state ^= (int32_t)BB_PUT(STATE, EDITION, draw(&seed));
  }
}

/* All that a thread does, on memory that may hold anything. */
static void try_on(uint8_t *memory, size_t bytes) {
  busbar_region region;
  busbar_thread member;
  busbar_breaker breaker;
  if (busbar_attach(&region, memory, bytes) != BUSBAR_OK) return;
  attached++;
  busbar_join(&member, &region, seed);
  for (int at = 0; at < breakers; at++) {
    if (busbar_find(&breaker, &member, names[at], strlen(names[at])) != BUSBAR_OK) continue;
    found++;
    use(&breaker);
    for (int again = 0; again < 2; again++) {
      damage_held(&breaker);
      use(&breaker);
    }
  }
  if (draw(&seed) % 2 == 0) busbar_mark_dead(&member);
  busbar_leave(&member);
}

/* A copy of the region, of `bytes` bytes. */
static uint8_t *copy(size_t bytes) {
  uint8_t *memory = allocate(bytes);
  memcpy(memory, original, bytes < length ? bytes : length);
  return memory;
}

static void replace_header_words(void) {
  for (size_t word = 0; word < sizeof(busbar_header) / 4; word++) {
    for (size_t extreme = 0; extreme < EXTREME_COUNT; extreme++) {
      uint8_t *memory = copy(length);
      memcpy(memory + word * 4, &EXTREMES[extreme], 4);
      try_on(memory, length);
      free(memory);
    }
  }
}

static void cut_short(void) {
  const size_t half = length / 2;
  const size_t header = sizeof(busbar_header);
  const size_t lengths[] = {0,          1,          8,    128,          header - 1, header,
                            header + 1, header * 2, half, length - 128, length - 8, length - 1};
  for (size_t at = 0; at < sizeof lengths / sizeof lengths[0]; at++) {
    uint8_t *memory = copy(lengths[at]);
    try_on(memory, lengths[at]);
    free(memory);
  }
  uint8_t *longer = copy(length + 128);
  try_on(longer, length + 128);
  try_on(longer + 4, length - 4);
  try_on(NULL, length);
  free(longer);
}

/* The parts of the region, from its own words. */
static void damage(uint8_t *memory, uint32_t round) {
  busbar_region region;
  EXPECT(busbar_attach(&region, memory, length) == BUSBAR_OK, "the region is sound");
  size_t threads = (size_t)((uint8_t *)region.threads - memory);
  size_t journal = (size_t)((uint8_t *)region.journal - memory);
  size_t directory = (size_t)((uint8_t *)region.directory - memory);
  size_t definitions = (size_t)((uint8_t *)region.definitions - memory);
  size_t arena = (size_t)(region.arena - memory);
  uint32_t sparing = draw(&seed) % 3 == 0 ? 1 : 1 + draw(&seed) % 200;
  switch (round % 9) {
    case 0: scatter(memory, threads, journal, 1 + draw(&seed) % 4); break;
    case 4:
      scatter(memory, sizeof(busbar_header) - BUSBAR_LINE_BYTES, sizeof(busbar_header), 2);
      scatter(memory, journal, directory, 1 + draw(&seed) % 30);
      break;
    case 1: scatter(memory, directory, directory + 64, 1 + draw(&seed) % 8); break;
    case 2:
      scatter(memory, definitions, definitions + 6 * sizeof(busbar_definition),
              1 + draw(&seed) % 1000);
      break;
    case 3: scatter(memory, 128, sizeof(busbar_header), 1 + draw(&seed) % 30);
      /* and */
      scatter(memory, arena, length, sparing);
      break;
    default: scatter(memory, arena, length, sparing);
  }
}

int main(int count, char **arguments) {
  EXPECT(count > 4, "hostile <region> <seed> <rounds> <breaker>...");
  original = load_file(arguments[1], &length);
  seed = (uint32_t)strtoul(arguments[2], NULL, 10);
  uint32_t rounds = (uint32_t)atoi(arguments[3]);
  names = arguments + 4;
  breakers = count - 4;
  replace_header_words();
  cut_short();
  long before = found;
  for (uint32_t round = 0; round < rounds; round++) {
    uint8_t *memory = copy(length);
    damage(memory, round);
    try_on(memory, length);
    free(memory);
  }
  EXPECT(found - before > (long)rounds, "damaged breakers were tried: %ld", found - before);
  printf("%ld attached, %ld breakers\n", attached, found);
  free(original);
  return 0;
}
