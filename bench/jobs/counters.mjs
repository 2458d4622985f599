/**
 * Counting by many threads, design by design, in bare words: what a breaker's words would cost by
 * themselves. Input: `{ words }`, made by `countersFor`.
 *
 * A cache line has 64 bytes, and processors fetch lines in pairs, so 128 bytes keep two threads
 * apart for certain. Two neighbouring words from an even index are on one line wherever the memory
 * begins, since memory is aligned to 8 bytes at least.
 */
const WORDS_A_LINE_PAIR = 128 / Int32Array.BYTES_PER_ELEMENT

/** A word that every thread reads and none writes, on a line pair of its own. It holds 1. */
const QUIET = 0
/** The first of the counters. */
const FIRST = WORDS_A_LINE_PAIR

/** @param {number} threads */
export function countersFor(threads) {
  const words = new Int32Array(new SharedArrayBuffer((threads + 2) * 128))
  words[QUIET] = 1
  return words
}

/**
 * All counters together. They wrap at 2^32, so compare it with another number `| 0`.
 *
 * @param {Int32Array} words
 */
export function totalOf(words) {
  let total = 0
  for (let at = FIRST; at < words.length; at++) total = (total + Atomics.load(words, at)) | 0
  return total
}

/** Adds to the word that `place` says. */
function adding(place) {
  return ({ index, input: { words } }) => {
    const at = FIRST + place(index)
    return {
      batch(times) {
        for (let i = 0; i < times; i++) Atomics.add(words, at, 1)
        return 0
      },
    }
  }
}

function addingByCas({ input: { words } }) {
  return {
    batch(times) {
      for (let i = 0; i < times; i++) {
        let seen = Atomics.load(words, FIRST)
        for (;;) {
          const found = Atomics.compareExchange(words, FIRST, seen, seen + 1)
          if (found === seen) break
          seen = found
        }
      }
      return 0
    },
  }
}

/** The floor of a refusal: look at a word that is the same for all. Sums up to the looks. */
function looking({ input: { words } }) {
  return {
    batch(times) {
      let sum = 0
      for (let i = 0; i < times; i++) sum += Atomics.load(words, QUIET)
      return sum
    },
  }
}

/** The floor of permit + success: a look before, a look after, one counter of the thread's own. */
function lookingTwiceAndAdding({ index, input: { words } }) {
  const at = FIRST + index * WORDS_A_LINE_PAIR
  return {
    batch(times) {
      let sum = 0
      for (let i = 0; i < times; i++) {
        sum += Atomics.load(words, QUIET)
        sum += Atomics.load(words, QUIET)
        Atomics.add(words, at, 1)
      }
      return sum
    },
  }
}

export const jobs = {
  'one shared counter, add': adding(() => 0),
  'one shared counter, compare and exchange': addingByCas,
  'two counters on one line': adding(index => index % 2),
  'a counter each, packed': adding(index => index),
  'a counter each, 128 bytes apart': adding(index => index * WORDS_A_LINE_PAIR),
  'one load': looking,
  'two loads, one add': lookingTwiceAndAdding,
}
