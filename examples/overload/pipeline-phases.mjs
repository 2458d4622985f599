// What the dependency goes through. The main thread moves all others from phase to phase, by one
// word that they share: a request counts in the phase in which it began. From `recovering` on the
// dependency is as it was when healthy.
export const PHASES = [
  { name: 'healthy', ms: 1_000 },
  { name: 'slow', ms: 1_400 },
  { name: 'overloaded', ms: 1_400 },
  { name: 'hanging', ms: 1_500 },
  { name: 'recovering', ms: 1_500 },
  { name: 'recovered', ms: 1_000 },
]

/** In place of a phase: while threads start, nothing counts. */
export const BEFORE = -1
