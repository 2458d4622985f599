/*
 * Finding breakers: src/protocol/log.ts and directory.ts. The client makes none: making one takes
 * its options, and those are JavaScript's to check.
 */
#ifndef BUSBAR_CLIENT_DIRECTORY_H
#define BUSBAR_CLIENT_DIRECTORY_H

#include "slots.h"

/* A breaker as it stands in the region. What its definition says was copied, and then checked. */
typedef struct {
  int64_t word; /* the entry's */
  uint32_t number; /* in the directory */
  uint8_t *record;
  bb_shape shape;
  busbar_definition definition;
} bb_entry;

static inline bool bb_is_named(const busbar_definition *definition, const char *name,
                               uint64_t length) {
  if ((uint64_t)(uint32_t)definition->name_bytes != length) return false;
  for (uint64_t at = 0; at < length; at++) {
    uint32_t four = (uint32_t)definition->name[at / 4];
    if ((uint8_t)(four >> (at % 4 * 8)) != (uint8_t)name[at]) return false;
  }
  return true;
}

/* Each one lost is a making or other options. */
#define BB_READ_ATTEMPTS 1024

/* Copies entry `index` and its definition, none of it checked. False where that cannot be. */
static inline bool bb_copy_entry(const busbar_region *region, int64_t index, bb_entry *entry) {
  int64_t *at = &region->directory[index];
  for (int attempt = 0; attempt < BB_READ_ATTEMPTS; attempt++) {
    /* ATOMIC directory.read
     *   observes: an entry's word, before and after all of its definition (pairs with publish,
     *             replace): the same word, so nobody had that definition for another.
     *   order:    acquire, each, so that the second look stays behind the copy; an entry that is
     *             only now published may be missed. */
    entry->word = bb_load64_acquire(at);
    if (entry->word == 0) return true;
    int64_t number = (int64_t)BB_GET(ENTRY, DEFINITION, entry->word) - 1;
    bool is_there = number >= 0 && number < region->definition_count;
    if (is_there) {
      bb_copy(&entry->definition, &region->definitions[number], sizeof(busbar_definition));
    }
    if (bb_load64_acquire(at) == entry->word) return is_there;
  }
  return false;
}

/* Reads entry `index`, whose record starts `lines` lines into the arena. */
static inline busbar_status bb_read_entry(const busbar_region *region, int64_t index,
                                          uint64_t lines, bb_entry *entry) {
  if (!bb_copy_entry(region, index, entry)) return BUSBAR_DAMAGED_DIRECTORY;
  if (entry->word == 0) return BUSBAR_NOT_FOUND;
  const busbar_definition *definition = &entry->definition;
  bool is_sound = bb_are_sound(&definition->options) && bb_are_sound(&definition->made);
  if (!is_sound) return BUSBAR_DAMAGED_DIRECTORY;
  entry->number = (uint32_t)index;
  entry->shape = bb_shape_of(&definition->options, region->max_threads);
  bool fits = lines + entry->shape.lines <= (uint64_t)region->arena_lines;
  bool is_as_long = entry->shape.lines == BB_GET(ENTRY, LINES, entry->word);
  if (!(is_as_long && fits)) return BUSBAR_DAMAGED_DIRECTORY;
  entry->record = region->arena + lines * BUSBAR_LINE_BYTES;
  return BUSBAR_OK;
}

/* Whether the STATE word `seen` says that the record is to begin as the breaker that has `first`
 * for its first generation. */
static inline bool bb_is_to_begin(int32_t seen, int32_t first) {
  return bb_state_of(seen) == BB_REMOVED &&
         (int32_t)bb_next_generation(bb_generation_of(seen)) == first;
}

/* Whether the breaker has been removed, and its record is no other's yet. */
static inline bool bb_is_vacant(const bb_entry *entry) {
  /* Seq_cst: rare. */
  int32_t seen = bb_load(&((const busbar_record *)(const void *)entry->record)->state);
  return bb_state_of(seen) == BB_REMOVED && !bb_is_to_begin(seen, entry->definition.first);
}

static inline busbar_status bb_find_entry(const busbar_region *region, const char *name,
                                          uint64_t length, bb_entry *entry) {
  uint64_t lines = 0;
  for (int64_t index = 0; index < region->max_breakers; index++) {
    busbar_status status = bb_read_entry(region, index, lines, entry);
    if (status != BUSBAR_OK) return status;
    if (bb_is_named(&entry->definition, name, length) && !bb_is_vacant(entry)) return status;
    lines += entry->shape.lines;
  }
  return BUSBAR_NOT_FOUND;
}

#endif
