/** Asks a question in a process of its own. */
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'

/** A question takes 45 s; on a slow machine more. One that hangs must not hang the rest. */
const LIMIT_MS = 300_000
/** How long a process may take to end once it has answered. */
const END_MS = 5_000

/**
 * The answer, and what was wrong all the same. One of them may be missing, not both.
 *
 * @param {string} name
 * @param {{ quick: boolean, seed: number }} how
 * @returns {Promise<{ answer?: import('./result.mjs').Answer, fault?: string }>}
 */
export function askQuestion(name, { quick, seed }) {
  const file = new URL(`../questions/${name}.mjs`, import.meta.url)
  if (!existsSync(file)) return Promise.resolve({ fault: 'there is no such file yet' })
  const flags = ['--seed', String(seed), ...(quick ? ['--quick'] : [])]
  // Whatever a question prints goes to stderr: stdout is for the tables.
  const child = fork(new URL('../question.mjs', import.meta.url), [name, ...flags], {
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  return new Promise(resolve => {
    let answer
    let fault
    const stop = why => {
      fault ??= why
      child.kill('SIGKILL')
    }
    let timer = setTimeout(() => stop(`no answer within ${LIMIT_MS / 1000} s`), LIMIT_MS)
    child.on('message', message => {
      answer = message.answer
      fault = message.fault
      clearTimeout(timer)
      timer = setTimeout(() => stop('had its say, but left something running'), END_MS)
    })
    // Not 'exit', which may come before the last message.
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (code !== 0) fault ??= `ended with ${signal ?? `exit code ${code}`}`
      else if (answer === undefined) fault = 'ended without an answer'
      resolve({ answer, fault })
    })
  })
}
