/* golden <region>: what C reads in a region, a line for each breaker. */
#include <inttypes.h>

#include "program.h"

static const char *const STATES[] = {"closed",      "open",     "half-open",
                                     "forced-open", "disabled", "metrics-only"};

static void say_totals(const busbar_breaker *breaker) {
  printf(" totals %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
         " %" PRId64 " %" PRId64,
         TOTAL(breaker, admitted), TOTAL(breaker, succeeded), TOTAL(breaker, failed),
         TOTAL(breaker, slow), TOTAL(breaker, ignored), TOTAL(breaker, late),
         TOTAL(breaker, refused), TOTAL(breaker, abandoned));
}

static void say(busbar_thread *member, const bb_entry *entry) {
  char name[BUSBAR_MAX_NAME_BYTES + 1] = {0};
  for (int32_t at = 0; at < entry->definition->name_bytes; at++) {
    name[at] = (char)((uint32_t)entry->definition->name[at / 4] >> (at % 4 * 8));
  }
  busbar_breaker breaker;
  EXPECT(busbar_find(&breaker, member, name, strlen(name)) == BUSBAR_OK, "%s", name);
  uint32_t generation = bb_generation_of(bb_seen(&breaker));
  double now = busbar_now(member);
  bb_counts counts = bb_sum(&breaker, generation, now);
  bb_trial_view view = bb_view_trials(&breaker, generation, now);
  printf("%s: %s %u", name, STATES[busbar_state(&breaker)], generation);
  printf(" window %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, counts.calls, counts.failures,
         counts.slow_calls, counts.slow_failures);
  say_totals(&breaker);
  double until = now;
  if (busbar_state(&breaker) == BUSBAR_OPEN) bb_read_time(&breaker, generation, &until);
  printf(" wait %.3f", until - now);
  printf(" trials %u %u\n", view.succeeded, view.failed + view.outlived);
}

int main(int count, char **arguments) {
  EXPECT(count == 2, "golden <region>");
  size_t bytes = 0;
  uint8_t *memory = load_file(arguments[1], &bytes);
  busbar_region region;
  busbar_status status = busbar_attach(&region, memory, bytes);
  EXPECT(status == BUSBAR_OK, "%s", busbar_status_text(status));
  busbar_thread member;
  busbar_join(&member, &region, 1);
  printf("%" PRId64 " breakers, %d threads, slot %d, now %.3f\n", region.max_breakers,
         region.max_threads, member.slot, busbar_now(&member));
  uint64_t lines = 0;
  bb_entry entry;
  for (int64_t at = 0; at < region.max_breakers; at++) {
    if (bb_read_entry(&region, at, lines, &entry) != BUSBAR_OK) break;
    lines += entry.shape.lines;
    say(&member, &entry);
  }
  free(memory);
  return 0;
}
