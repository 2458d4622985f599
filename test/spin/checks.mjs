/**
 * What run.mjs checks. `macros` are given to the model; `live` means a property of endless runs
 * under weak fairness, otherwise assertions at every step. Kinds: see run.mjs.
 */

function check(kind, model, says, macros = [], live = false) {
  return { kind, model, says, macros, live }
}

const holds = (model, says, macros) => check('holds', model, says, macros)
const alwaysEnds = (model, says, macros) => check('holds', model, says, macros, true)
const mark = (model, says, macros = []) => check('mark', model, says, ['REACHED', ...macros])
const fault = (model, says, macros) => check('fault', model, says, macros)
const liveFault = (model, says, macros) => check('fault', model, says, macros, true)

const TWO = ['THREADS=2', 'DEATHS=1', 'BUDGET=3']
const THREE = ['THREADS=3', 'HALVES=1', 'DEATHS=0', 'BUDGET=3', 'AT_ONCE']

export const CHECKS = [
  holds('state', 'one decision a generation, published whole'),
  mark('state', 'all transitions, tags wrapped'),
  fault('state', 'publish without deciding', ['NO_DECIDE']),
  fault('state', 'load and store for the CAS that decides', ['STORE_DECIDE']),
  fault('state', 'no look at STATE before deciding', ['NO_LOOK']),
  fault('state', 'load and store for the CAS that fills', ['STORE_FILL']),
  fault('state', 'no look at STATE before filling', ['FILL_LATE']),
  fault('state', 'tags that come back too soon', ['SHORT_TAG']),

  holds('trials', 'two threads, two half-opens', TWO),
  holds('trials', 'three threads, two places', THREE),
  holds('trials', 'two threads, a rate decides', ['RATE', 'THREADS=2', 'HALVES=1', 'BUDGET=3']),
  alwaysEnds('trials', 'always recovers: two half-opens', ['THREADS=2', 'DEATHS=1', 'AT_ONCE']),
  alwaysEnds('trials', 'always recovers: two threads, all steps', ['THREADS=2', 'HALVES=1']),
  alwaysEnds('trials', 'always recovers: a rate decides', ['RATE', 'THREADS=2', 'HALVES=1']),
  alwaysEnds('trials', 'always recovers: three threads, one dies', [
    'THREADS=3',
    'HALVES=1',
    'DEATHS=1',
    'AT_ONCE',
  ]),
  mark('trials', 'both places taken in the second half-open', ['THREADS=2', 'DEATHS=0']),
  check('mark', 'trials', 'a call admitted, its lease unwritten', ['LEASE_WRITTEN', 'THREADS=2']),
  fault('trials', 'settle without a look at the claim', ['NO_CLAIM_CHECK', ...THREE]),
  fault('trials', 'load and store for the CAS that claims', ['STORE_CLAIM', ...TWO]),
  fault('trials', 'load and store for the CAS that settles', ['STORE_SETTLE', ...TWO]),
  fault('trials', 'no second look at STATE after the claim', ['NO_SECOND_LOOK', ...TWO]),
  liveFault('trials', "nobody writes a dead claimer's lease", ['NO_LEASE_HELP', 'THREADS=2']),
  liveFault('trials', 'an older generation told by its number', ['BY_NUMBER', 'THREADS=2']),

  holds('slots', 'one slot, three threads with calls', ['NO_PLACE']),
  holds('slots', 'one slot, three threads with a trial', ['CALLS=0']),
  holds('slots', 'one slot, two threads with both', ['THREADS=2']),
  holds('slots', 'two slots, two threads', ['THREADS=2', 'SLOTS=2']),
  alwaysEnds('slots', "a dead thread's slot is given back", ['THREADS=2']),
  mark('slots', 'a slot used by all threads in turn'),
  fault('slots', 'slot freed before what it held', ['FREE_FIRST']),
  fault('slots', 'no look whether the slot is still held', ['NO_STILL_HELD']),
  fault('slots', 'load and store for the CAS that claims', ['STORE_CLAIM']),
  fault('slots', 'load and store for the CAS that frees', ['STORE_FREE']),
  fault('slots', 'load and store for the CAS that abandons', ['STORE_ABANDON']),
  fault('slots', 'load and store for the CAS that marks', ['STORE_MARK']),
  fault('slots', 'marked on silence alone', ['ON_SILENCE']),
  fault('slots', 'a slot freed that nobody has marked', ['UNMARKED']),
  liveFault('slots', 'slot never freed', ['NO_FREE', 'THREADS=2']),

  holds('duty', 'no mixture of rounds is read, none goes back'),
  mark('duty', 'the last round is read whole'),
  fault('duty', 'the fence stays', ['NO_FENCE']),
  fault('duty', 'the reader looks at no fence', ['NO_TAG']),
  fault('duty', 'no look at the duty before a put', ['NO_LOOK']),
  fault('duty', 'a put lost to a late one is not made again', ['ONE_ATTEMPT']),
  fault('duty', 'load and store for the CAS that takes', ['STORE_TAKE']),
  fault('duty', 'fences that come back too soon', ['SHORT_FENCE']),

  holds('stock', 'two recorders, the bucket changes', ['RECORDERS=2', 'RECORDS=4']),
  holds('stock', 'three recorders, one bucket', ['ONE_BUCKET']),
  mark('stock', 'opens after the bucket has changed', ['RECORDERS=2', 'RECORDS=4']),
  fault('stock', 'load and store for the CAS that publishes', ['STORE_PUBLISH', 'ONE_BUCKET']),
  fault('stock', 'what was taken out since is not subtracted', ['NOT_SUBTRACTED', 'ONE_BUCKET']),
  fault('stock', 'stock read after the sum', ['READ_LATE', 'ONE_BUCKET']),
  fault('stock', 'taken out before it is recorded', ['SPEND_FIRST', 'ONE_BUCKET']),
  fault('stock', 'failures of one sum over the calls of the next', ['SECOND_CALLS', 'ONE_BUCKET']),
  fault('stock', 'sum for the bucket of the record', ['OLD_BUCKET', 'RECORDERS=2', 'RECORDS=4']),

  holds('minimum', 'two recorders, good and bad outcomes', ['RECORDS=4', 'MIN=4']),
  holds('minimum', 'three recorders', ['RECORDERS=3', 'RECORDS=1']),
  mark('minimum', 'a good outcome opens', ['GOOD_OPENS']),
  mark('minimum', 'one is spared after bad ones', ['SPARED']),
  fault('minimum', 'good outcomes take nothing out below the minimum', ['GOOD_FREE']),
  fault('minimum', 'spared before the minimum is found', ['SPARE_EARLY']),
  fault('minimum', 'every stock says that the minimum is reached', ['ALWAYS_HELD']),
  fault('minimum', 'what was taken out since is not subtracted', ['NOT_SUBTRACTED']),
  fault('minimum', 'a stock replaces that of a sum made meanwhile', ['OVER_SUM']),
  fault('minimum', 'one sum decides', ['SUM_ONCE']),
]
