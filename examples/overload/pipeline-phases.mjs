// What the dependency goes through. The main thread moves all others from phase to phase, by one
// word that they share: so a request counts in the phase in which it began.
export const PHASES = [
  { name: 'healthy', ms: 1_200 },
  { name: 'slow', ms: 1_500 },
  { name: 'overloaded', ms: 1_500 },
  { name: 'hanging', ms: 1_500 },
  { name: 'recovered', ms: 1_500 },
]

/** In place of a phase: while threads start, nothing counts. */
export const BEFORE = -1
