/* golden <region>: what C reads in a region, a line for each breaker. */
#include <inttypes.h>

#include "program.h"

static const char *const STATES[] = {"closed",      "open",     "half-open",
                                     "forced-open", "disabled", "metrics-only"};

static void say_totals(const busbar_breaker *breaker) {
  int64_t half_open = TALLY(breaker, refused_half_open);
  int64_t forced_open = TALLY(breaker, refused_forced_open);
  printf(" totals %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
         " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
         TOTAL(breaker, admitted), TOTAL(breaker, succeeded), TOTAL(breaker, failed),
         TOTAL(breaker, slow), TOTAL(breaker, ignored), TOTAL(breaker, late),
         TOTAL(breaker, refused) + half_open + forced_open, half_open, forced_open,
         TOTAL(breaker, abandoned));
}

/* The sum in ms, then how many took less than each octave's end. */
static void say_durations(const busbar_breaker *breaker) {
  const size_t first = offsetof(busbar_tally, durations);
  printf(" durations %.3f", (double)TALLY(breaker, micros) / 1000);
  for (size_t octave = 0; octave <= BUSBAR_DURATION_OCTAVES; octave++) {
    printf(" %" PRId64, tally_of(breaker, first, 1 + octave * BUSBAR_DURATION_STEPS));
  }
  printf(" %" PRId64 "\n", TALLY(breaker, durations));
}

static void say(busbar_thread *member, const bb_entry *entry) {
  char name[BUSBAR_MAX_NAME_BYTES + 1] = {0};
  for (int32_t at = 0; at < entry->definition.name_bytes; at++) {
    name[at] = (char)((uint32_t)entry->definition.name[at / 4] >> (at % 4 * 8));
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
  printf(" trials %u %u", view.succeeded, view.failed + view.outlived);
  say_durations(&breaker);
}

/* The value of an entry's word, -1 where it is not there. */
static int64_t value_of(int64_t word, uint32_t number) {
  return bb_is_tagged_of(word, bb_entry_tag(number)) ? (int64_t)BB_GET(TAGGED, VALUE, word) : -1;
}

static void say_reason(const busbar_reason *reason, uint32_t number) {
  int64_t length = value_of(reason->head, number);
  printf(" reason %s", length < 0 ? "none" : "");
  for (int64_t at = 0; at < length; at++) {
    putchar((int)(value_of(reason->words[at / 4], number) >> (at % 4 * 8) & 0xff));
  }
  putchar('\n');
}

static void say_entry(const busbar_region *region, uint32_t number) {
  const busbar_journal_entry *entry = bb_journal_entry(region, number);
  int64_t key = entry->key;
  EXPECT(bb_is_key_of(key, number), "entry %u", number);
  EXPECT(bb_is_timed_of(entry->time, bb_entry_tag(number)), "entry %u", number);
  printf("entry %u: breaker %d generation %d from %d to %d", number,
         (int)BB_GET(KEY, BREAKER, key), (int)BB_GET(KEY, GENERATION, key),
         (int)BB_GET(KEY, FROM, key), (int)BB_GET(KEY, TO, key));
  printf(" at %.3f by %" PRId64 " counts %" PRId64 " %" PRId64 " %" PRId64,
         bb_time_of(entry->time), value_of(entry->by, number), value_of(entry->calls, number),
         value_of(entry->failures, number), value_of(entry->slow, number));
  say_reason(&entry->reason, number);
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
  uint32_t head = bb_journal_head(&region);
  for (uint32_t number = 0; number < head; number++) say_entry(&region, number);
  free(memory);
  return 0;
}
