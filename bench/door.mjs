/**
 * What does the door cost? Each verb of dist/memory/atomics.js beside the same access written out,
 * in one run, order shuffled, medians of 15 rounds. `npm run bench:door`
 */
import * as door from '../dist/memory/atomics.js'

const memory = door.viewsOf(new SharedArrayBuffer(1024))
const { words } = memory
const LOOPS = 2_000_000
const ROUNDS = 15

const pairs = {
  load: [
    () => {
      let sum = 0
      for (let i = 0; i < LOOPS; i++) sum += door.load(memory, i & 15)
      return sum
    },
    () => {
      let sum = 0
      for (let i = 0; i < LOOPS; i++) sum += Atomics.load(words, i & 15)
      return sum
    },
  ],
  add: [
    () => {
      for (let i = 0; i < LOOPS; i++) door.add(memory, i & 15, 1)
    },
    () => {
      for (let i = 0; i < LOOPS; i++) Atomics.add(words, i & 15, 1)
    },
  ],
  compareExchange: [
    () => {
      for (let i = 0; i < LOOPS; i++) door.compareExchange(memory, 0, i, i + 1)
    },
    () => {
      for (let i = 0; i < LOOPS; i++) Atomics.compareExchange(words, 0, i, i + 1)
    },
  ],
  readOwn: [
    () => {
      let sum = 0
      for (let i = 0; i < LOOPS; i++) sum = (sum + door.readOwn(memory, i & 15)) | 0
      return sum
    },
    () => {
      let sum = 0
      for (let i = 0; i < LOOPS; i++) sum = (sum + words[i & 15]) | 0
      return sum
    },
  ],
}

function nanoseconds(work) {
  const start = process.hrtime.bigint()
  work()
  return Number(process.hrtime.bigint() - start) / LOOPS
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

console.log(`node ${process.version}, ${ROUNDS} rounds of ${LOOPS} accesses, medians`)
for (const [verb, [through, direct]] of Object.entries(pairs)) {
  const times = { through: [], direct: [] }
  for (let round = -3; round < ROUNDS; round++) {
    const order = Math.random() < 0.5 ? ['through', 'direct'] : ['direct', 'through']
    for (const way of order) {
      const ns = nanoseconds(way === 'through' ? through : direct)
      if (round >= 0) times[way].push(ns)
    }
  }
  const ratio = median(times.through.map((ns, round) => ns / times.direct[round]))
  console.log(
    `${verb.padEnd(16)} through ${median(times.through).toFixed(2)} ns  ` +
      `direct ${median(times.direct).toFixed(2)} ns  ratio ${ratio.toFixed(2)}`,
  )
}
