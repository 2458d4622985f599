/*
 * The one door to shared memory, as src/memory/atomics.ts is in JavaScript: no other file of the
 * client touches a word that others may write. The name says which order an access has.
 *
 * JavaScript's Atomics are sequentially consistent. Where an argument of docs/protocol.md needs one
 * order of accesses to *different* words (write one, then look at another: a store followed by a
 * load), both sides must be seq_cst, and the plain names here are. Where it needs only that who
 * sees one word sees what was written before it, acquire and release do. Where a word is a hint, or
 * is read by people only, relaxed does. Each use says which and why.
 *
 * The compiler's __atomic builtins work on the plain words that the layout describes, in C and in
 * C++ alike, and ThreadSanitizer follows them.
 */
#ifndef BUSBAR_CLIENT_ATOMIC_H
#define BUSBAR_CLIENT_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#if !defined(__GNUC__)
#error "busbar.h needs the __atomic builtins of gcc or clang"
#endif

/* ---- one total order, with JavaScript's Atomics: class "shared" ------------------------------ */

static inline int32_t bb_load(const int32_t *word) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static inline int64_t bb_load64(const int64_t *word) {
  return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static inline void bb_store(int32_t *word, int32_t value) {
  __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* Returns the value before the addition, which wraps. */
static inline int32_t bb_add(int32_t *word, int32_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
}

static inline int64_t bb_add64(int64_t *word, int64_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
}

/* Returns the value found; the exchange was made when that is `expected`. */
static inline int32_t bb_cas(int32_t *word, int32_t expected, int32_t replacement) {
  __atomic_compare_exchange_n(word, &expected, replacement, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return expected;
}

static inline int64_t bb_cas64(int64_t *word, int64_t expected, int64_t replacement) {
  __atomic_compare_exchange_n(word, &expected, replacement, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return expected;
}

/* ---- weaker orders, each argued where it is used --------------------------------------------- */

static inline int32_t bb_load_acquire(const int32_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline int64_t bb_load64_acquire(const int64_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Copies words that another may be writing: who looks afterwards at a word that says whether they
 * were the same all the while looks after all of them. */
static inline void bb_copy(void *to, const void *from, uint64_t bytes) {
  for (uint64_t at = 0; at + sizeof(int64_t) <= bytes; at += sizeof(int64_t)) {
    int64_t word = bb_load64_acquire((const int64_t *)(const void *)((const uint8_t *)from + at));
    __builtin_memcpy((uint8_t *)to + at, &word, sizeof word);
  }
}

static inline void bb_store_release(int32_t *word, int32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline int32_t bb_add_acq_rel(int32_t *word, int32_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
}

static inline int32_t bb_cas_acq_rel(int32_t *word, int32_t expected, int32_t replacement) {
  __atomic_compare_exchange_n(word, &expected, replacement, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_ACQUIRE);
  return expected;
}

/* A look that may be late: a hint, or a word that only the caller writes. */
static inline int32_t bb_peek(const int32_t *word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Adds one to a 32-bit counter of which the caller is the only writer. */
static inline void bb_count32(uint32_t *counter) {
  uint32_t value = __atomic_load_n(counter, __ATOMIC_RELAXED);
  __atomic_store_n(counter, value + 1, __ATOMIC_RELEASE);
}

/* Empties counters that only the caller writes; nothing is published by it. */
static inline void bb_zero64(int64_t *counters, uint64_t count) {
  for (uint64_t at = 0; at < count; at++) __atomic_store_n(&counters[at], 0, __ATOMIC_RELAXED);
}

/* Adds any amount, 64 bits wide, for people: nothing is published by it (class "stat"). */
static inline void bb_count64(int64_t *counter, uint64_t amount) {
  uint64_t value = (uint64_t)__atomic_load_n(counter, __ATOMIC_RELAXED);
  __atomic_store_n(counter, (int64_t)(value + amount), __ATOMIC_RELAXED);
}

#endif
