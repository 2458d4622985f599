/*
 * Finding breakers: src/protocol/directory.ts. The client makes none: making one takes its options,
 * and those are JavaScript's to check.
 */
#ifndef BUSBAR_CLIENT_DIRECTORY_H
#define BUSBAR_CLIENT_DIRECTORY_H

#include "slots.h"

/* A breaker as it stands in the region. Its options are read once, and then checked. */
typedef struct {
  uint32_t number; /* in the directory */
  const busbar_definition *definition;
  busbar_options options;
  bb_shape shape;
  uint8_t *record;
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

/* Reads entry `index`, whose record starts `lines` lines into the arena. */
static inline busbar_status bb_read_entry(const busbar_region *region, int64_t index,
                                          uint64_t lines, bb_entry *entry) {
  /* ATOMIC directory.read
   *   observes: a published entry: all of its definition is there (pairs with publish).
   *   order:    acquire, for that; an entry that is only now published may be missed. */
  int64_t word = bb_load64_acquire(&region->directory[index]);
  if (word == 0) return BUSBAR_NOT_FOUND;
  int64_t definition = (int64_t)BB_GET(ENTRY, DEFINITION, word) - 1;
  if (definition < 0 || definition >= region->definition_count) return BUSBAR_DAMAGED_DIRECTORY;
  entry->number = (uint32_t)index;
  entry->definition = &region->definitions[definition];
  entry->options = entry->definition->options;
  if (!bb_are_sound(&entry->options)) return BUSBAR_DAMAGED_DIRECTORY;
  entry->shape = bb_shape_of(&entry->options, region->max_threads);
  bool fits = lines + entry->shape.lines <= (uint64_t)region->arena_lines;
  if (entry->shape.lines != BB_GET(ENTRY, LINES, word) || !fits) return BUSBAR_DAMAGED_DIRECTORY;
  entry->record = region->arena + lines * BUSBAR_LINE_BYTES;
  return BUSBAR_OK;
}

static inline busbar_status bb_find_entry(const busbar_region *region, const char *name,
                                          uint64_t length, bb_entry *entry) {
  uint64_t lines = 0;
  for (int64_t index = 0; index < region->max_breakers; index++) {
    busbar_status status = bb_read_entry(region, index, lines, entry);
    if (status != BUSBAR_OK || bb_is_named(entry->definition, name, length)) return status;
    lines += entry->shape.lines;
  }
  return BUSBAR_NOT_FOUND;
}

#endif
