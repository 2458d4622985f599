/**
 * A mutant is a planted fault: a small patch of the real code that some scenario must catch. What
 * `replace` names stands in the file exactly once, so a patch cannot rot in silence.
 */

/** A CAS that is none: looks, then writes. */
export const loadThenStore64 = (at, old, mine) =>
  `(load64(${at}) === ${old} ? (add64(${at}, ${mine} - ${old}), ${old}) : load64(${at}))`
