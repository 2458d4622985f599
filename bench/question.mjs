/**
 * Asks one question in a process of its own. Started by run.mjs, which gets the answer; by hand it
 * prints it: node bench/question.mjs refuse --quick
 */
import { parseArgs } from 'node:util'
import { checkAnswer } from './lib/check.mjs'
import { randomOf } from './lib/random.mjs'
import { answerText } from './lib/text.mjs'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
})
const [name] = positionals
const seed = Number(values.seed)
if (!/^[a-z-]+$/.test(name ?? '') || !Number.isSafeInteger(seed)) {
  throw new TypeError('usage: node bench/question.mjs <name> [--quick] [--seed n]')
}

async function answerOf() {
  const { title, ask } = await import(new URL(`questions/${name}.mjs`, import.meta.url).href)
  const answer = await ask({
    quick: values.quick,
    say: text => console.error(`  ${name}: ${text}`),
    random: randomOf(seed, name),
  })
  const whole = { title, ...answer }
  checkAnswer(name, whole)
  return whole
}

/** To run.mjs: what lies in the pipe when a process ends by an error is not sure to arrive. */
function tell(message) {
  return new Promise(resolve => process.send(message, resolve))
}

if (process.send === undefined) console.log(answerText(await answerOf()))
else {
  try {
    await tell({ answer: await answerOf() })
  } catch (error) {
    await tell({ fault: error.message })
    throw error
  }
}
