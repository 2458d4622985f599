/** Which case is tested where. A case that stands in none of these is replayed by both faces. */

/** Waits for a part that busbar does not have yet, or is tested elsewhere. */
export const LEFT_OUT: Record<string, string> = {
  'PK-01': 'packaging: test/package, with the packed tarball',
  'TH-04': 'workers terminated at random points: the chaos tests',
  'MM-01': 'keyed breakers: test/keyed/keyed.test.ts',
  'SX-01': 'export and import: test/warm-start/import.test.ts',
  'SX-02': 'export and import: test/warm-start/export.test.ts',
  'BH-01': 'a bulkhead: test/overload/bulkhead/cases.test.ts',
  'BH-02': 'a bulkhead: test/overload/bulkhead/cases.test.ts',
  'RI-01': 'a retry: test/retry/cases.test.ts',
  'AT-01': 'a throttle: test/overload/throttle/cases.test.ts',
  'AT-03': 'a throttle: test/overload/throttle/cases.test.ts',
}

/** Needs real threads: replayed with one worker for each thread of the case. */
export const WITH_THREADS = ['HO-05', 'EV-02', 'CK-03', 'TH-01']

/** Not data, or not only: a test of its own under the case's name. */
export const OWN_TEST = ['TP-01', 'TP-02', 'MM-02', 'CV-01', 'EV-03', 'EV-04']

/** Replayed by one face only. */
export const ONLY_EXECUTE: Record<string, string> = {
  'ME-01':
    'a closed permit settled twice is two outcomes for the core, which trusts its caller ' +
    '(spec 4); `execute` is what settles exactly once',
}
