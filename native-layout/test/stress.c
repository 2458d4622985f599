/*
 * stress <region> <milliseconds> <seed> <breaker>...
 *
 * Four threads make every call of the client on every breaker, for sanitizers to watch: permits are
 * settled at once, later, or by whoever finds them; threads leave and join all the while. At the
 * end what they counted is what the region's totals say.
 */
#include <pthread.h>

#include "program.h"

#define THREADS 4
#define MAX_BREAKERS 8
#define MAILBOXES 8
#define KEPT 4
#define GENERATIONS 1024
/* Calls between joining and leaving. */
#define CALLS 2000

typedef struct {
  int64_t admitted, refused, succeeded, failed, ignored, late;
  int64_t measured, micros; /* outcomes that counted and came with a duration, and their sum */
} tally;

static busbar_region region;
static int breakers;
static char **names;
static double milliseconds;
static int32_t is_over;
/* Permits on their way from one thread to another, plus 1; 0: none. */
static int64_t mail[MAX_BREAKERS][MAILBOXES];
/* Trials in flight in each generation, and the most that were at any moment. */
static int32_t trials[MAX_BREAKERS][GENERATIONS];

typedef struct {
  uint32_t number;
  uint32_t random;
  double failing;
  int64_t kept[MAX_BREAKERS][KEPT]; /* as mail */
  tally tallies[MAX_BREAKERS];
} worker;

static void count_trial(const busbar_breaker *breaker, int at, int64_t permit, int32_t change) {
  if (permit < BUSBAR_FIRST_TRIAL_PERMIT) return;
  uint64_t generation = BB_GET(PERMIT, GENERATION, permit) % GENERATIONS;
  int32_t in_flight = bb_add(&trials[at][generation], change) + change;
  /* A short lease ends while its trial goes on. */
  bool is_bounded = breaker->options.trial_timeout_ms > 1000;
  EXPECT(!is_bounded || in_flight <= (int32_t)breaker->trials, "%s: %d trials", names[at],
         in_flight);
}

static void settle(worker *self, busbar_breaker *breaker, int at, int64_t permit) {
  tally *mine = &self->tallies[at];
  double number = draw_part(&self->random);
  /* Some are not measured. */
  int32_t duration_ms = (int32_t)(draw(&self->random) % 4) - 1;
  count_trial(breaker, at, permit, -1);
  if (number < 0.1) {
    if (busbar_release(breaker, permit)) mine->ignored++;
    else mine->late++;
    return;
  }
  bool fails = number < 0.1 + self->failing;
  bool counted = fails ? busbar_record_failure(breaker, permit, duration_ms)
                       : busbar_record_success(breaker, permit, duration_ms);
  if (!counted) mine->late++;
  else if (fails) mine->failed++;
  else mine->succeeded++;
  if (!counted || duration_ms < 0) return;
  mine->measured++;
  mine->micros += duration_ms * 1000;
}

/* Puts `permit` into a free place; false when there is none. */
static bool post(int64_t *places, int count, int64_t permit) {
  for (int place = 0; place < count; place++) {
    if (bb_cas64(&places[place], 0, permit + 1) == 0) return true;
  }
  return false;
}

static void settle_all(worker *self, busbar_breaker *breaker, int at, int64_t *places, int count) {
  for (int place = 0; place < count; place++) {
    int64_t found = bb_load64(&places[place]);
    if (found == 0 || bb_cas64(&places[place], found, 0) != found) continue;
    settle(self, breaker, at, found - 1);
  }
}

static void call(worker *self, busbar_breaker *breaker, int at) {
  tally *mine = &self->tallies[at];
  int64_t permit = busbar_try_acquire(breaker);
  EXPECT(busbar_state(breaker) <= BUSBAR_METRICS_ONLY, "%s", names[at]);
  if (permit == BUSBAR_REFUSED) {
    mine->refused++;
    return;
  }
  mine->admitted++;
  count_trial(breaker, at, permit, 1);
  uint32_t number = draw(&self->random) % 64;
  if (number == 0 && post(mail[at], MAILBOXES, permit)) return;
  if (number < 4 && post(self->kept[at], KEPT, permit)) return;
  settle(self, breaker, at, permit);
  if (number == 5) settle_all(self, breaker, at, mail[at], MAILBOXES);
  if (number < 10) settle_all(self, breaker, at, self->kept[at], KEPT);
}

/* One membership. Every other one leaves with permits in flight, for the next to settle. */
static double be_member(worker *self, bool settles) {
  busbar_thread member;
  busbar_breaker own[MAX_BREAKERS];
  busbar_join(&member, &region, self->number);
  for (int at = 0; at < breakers; at++) {
    busbar_status status = busbar_find(&own[at], &member, names[at], strlen(names[at]));
    EXPECT(status == BUSBAR_OK, "%s: %s", names[at], busbar_status_text(status));
  }
  self->failing = draw_part(&self->random) * 0.9;
  for (int done = 0; done < CALLS; done++) {
    int at = (int)(draw(&self->random) % (uint32_t)breakers);
    call(self, &own[at], at);
  }
  for (int at = 0; settles && at < breakers; at++) {
    settle_all(self, &own[at], at, self->kept[at], KEPT);
    settle_all(self, &own[at], at, mail[at], MAILBOXES);
  }
  double now = busbar_now(&member);
  busbar_leave(&member);
  return now;
}

static void *work(void *data) {
  worker *self = (worker *)data;
  double start = be_member(self, false);
  for (bool settles = true; be_member(self, settles) < start + milliseconds; settles = !settles) {
  }
  self->failing = 0;
  be_member(self, true);
  return NULL;
}

/* Each generation began with one transition that is counted, from the state before it. */
static void check_transitions(const busbar_breaker *breaker, const char *name) {
  uint32_t sum = 0;
  for (uint32_t word = 0; word < BUSBAR_STATES * BUSBAR_STATES; word++) {
    sum += (uint32_t)BB_GET(TAGGED, VALUE, bb_load64(&breaker->record->transitions[word]));
  }
  EXPECT(sum == bb_generation_of(bb_seen(breaker)), "%s: %u transitions", name, sum);
}

static void check(const busbar_breaker *breaker, const tally *sum, const char *name) {
  int64_t ends = sum->succeeded + sum->failed + sum->ignored + sum->late;
  EXPECT(sum->admitted == ends, "%s: %ld of %ld", name, (long)ends, (long)sum->admitted);
  EXPECT(TOTAL(breaker, admitted) == sum->admitted, "%s", name);
  int64_t refused = TOTAL(breaker, refused) + TALLY(breaker, refused_half_open) +
                    TALLY(breaker, refused_forced_open);
  EXPECT(refused == sum->refused, "%s", name);
  EXPECT(TALLY(breaker, refused_forced_open) == 0, "%s: nobody forces it", name);
  EXPECT(TOTAL(breaker, succeeded) == sum->succeeded, "%s", name);
  EXPECT(TOTAL(breaker, failed) == sum->failed, "%s", name);
  EXPECT(TOTAL(breaker, ignored) == sum->ignored, "%s", name);
  EXPECT(TOTAL(breaker, late) == sum->late, "%s", name);
  EXPECT(TALLY(breaker, durations) == sum->measured, "%s", name);
  EXPECT(TALLY(breaker, micros) == sum->micros, "%s", name);
  check_transitions(breaker, name);
  uint32_t generation = bb_generation_of(bb_seen(breaker));
  printf("%s: %ld admitted, %ld refused, %u transitions\n", name, (long)sum->admitted,
         (long)sum->refused, generation);
}

/*
 * Entries are without holes up to the head, of any breaker one generation after the other, and say
 * who made the transition. A second entry of a transition may stand behind the first. The time may
 * be missing, where all who knew the entry were put aside for two more transitions.
 */
static void check_journal(void) {
  uint32_t head = bb_journal_head(&region);
  uint32_t first = head > BUSBAR_JOURNAL_ENTRIES ? head - BUSBAR_JOURNAL_ENTRIES : 0;
  uint32_t generations[MAX_BREAKERS] = {0};
  uint32_t states[MAX_BREAKERS] = {0};
  uint32_t doubles = 0, timeless = 0;
  for (uint32_t number = first; number < head; number++) {
    const busbar_journal_entry *entry = bb_journal_entry(&region, number);
    int64_t key = bb_load64(&entry->key);
    EXPECT(bb_is_key_of(key, number), "entry %u of %u is there", number, head);
    uint32_t at = (uint32_t)BB_GET(KEY, BREAKER, key);
    uint32_t generation = (uint32_t)BB_GET(KEY, GENERATION, key);
    EXPECT(at < (uint32_t)breakers, "entry %u: breaker %u", number, at);
    if (generation == generations[at]) {
      doubles++;
      continue;
    }
    /* What came before may have left the ring: then this may be a second entry. */
    bool is_sure = first == 0 || generations[at] > 0;
    EXPECT(!is_sure || generation == generations[at] + 1, "entry %u: generation %u after %u of %s",
           number, generation, generations[at], names[at]);
    EXPECT(!is_sure || BB_GET(KEY, FROM, key) == states[at], "entry %u", number);
    generations[at] = generation;
    states[at] = (uint32_t)BB_GET(KEY, TO, key);
    if (!is_sure) continue;
    if (!bb_is_timed_of(bb_load64(&entry->time), bb_entry_tag(number))) timeless++;
    EXPECT(bb_is_tagged_of(bb_load64(&entry->by), bb_entry_tag(number)), "entry %u of %u from %u",
           number, head, first);
    EXPECT(BB_GET(BY, HAND, bb_load64(&entry->by)) == 0, "entry %u", number);
  }
  EXPECT(timeless < 10, "%u entries lack their time", timeless);
  printf("%u entries in the journal, %u of the last are doubles, %u lack their time\n", head,
         doubles, timeless);
}

static void check_all(const worker *workers) {
  busbar_thread member;
  busbar_join(&member, &region, THREADS);
  for (int at = 0; at < breakers; at++) {
    busbar_breaker breaker;
    tally sum = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int thread = 0; thread < THREADS; thread++) {
      const tally *each = &workers[thread].tallies[at];
      sum.admitted += each->admitted;
      sum.refused += each->refused;
      sum.succeeded += each->succeeded;
      sum.failed += each->failed;
      sum.ignored += each->ignored;
      sum.late += each->late;
      sum.measured += each->measured;
      sum.micros += each->micros;
    }
    busbar_status status = busbar_find(&breaker, &member, names[at], strlen(names[at]));
    EXPECT(status == BUSBAR_OK, "%s", names[at]);
    check(&breaker, &sum, names[at]);
  }
  EXPECT(bb_load(&region.header->damaged) == 0, "words were damaged");
  check_journal();
}

/* The keeper, in a region that was made with one: it moves TICK on while the others work. */
static void *keep(void *data) {
  const struct timespec pause = {0, 1000000};
  (void)data;
  for (int32_t tick = BUSBAR_FIRST_TICK; bb_load(&is_over) == 0; tick++) {
    bb_store(&region.header->tick, tick);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

int main(int count, char **arguments) {
  EXPECT(count > 4, "stress <region> <milliseconds> <seed> <breaker>...");
  size_t bytes = 0;
  uint8_t *memory = load_file(arguments[1], &bytes);
  busbar_status status = busbar_attach(&region, memory, bytes);
  EXPECT(status == BUSBAR_OK, "%s", busbar_status_text(status));
  milliseconds = atof(arguments[2]);
  names = arguments + 4;
  breakers = count - 4 < MAX_BREAKERS ? count - 4 : MAX_BREAKERS;
  static worker workers[THREADS];
  pthread_t threads[THREADS];
  for (uint32_t thread = 0; thread < THREADS; thread++) {
    workers[thread].number = thread;
    workers[thread].random = (uint32_t)atoi(arguments[3]) + thread * 7919u;
    EXPECT(pthread_create(&threads[thread], NULL, work, &workers[thread]) == 0, "no thread");
  }
  pthread_t keeper;
  bool is_kept = region.tick_ms > 0;
  EXPECT(!is_kept || pthread_create(&keeper, NULL, keep, NULL) == 0, "no thread");
  for (int thread = 0; thread < THREADS; thread++) pthread_join(threads[thread], NULL);
  bb_store(&is_over, 1);
  if (is_kept) pthread_join(keeper, NULL);
  /* Whoever ended first may have left permits of others behind. */
  workers[0].failing = 0;
  be_member(&workers[0], true);
  check_all(workers);
  free(memory);
  return 0;
}
