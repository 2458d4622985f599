/**
 * When the sequential specification opens a breaker: the window and the threshold in the plainest
 * form there is, one outcome after the other. Nothing leaves a time window here.
 *
 * @param {object} rule
 * @param {'time' | 'count' | 'consecutive'} rule.type
 * @param {number} [rule.size]       of a count window
 * @param {number} [rule.failures]   of a consecutive window
 * @param {number} rule.minimum      calls before the rate is judged
 * @param {number} rule.rate         the threshold
 * @param {ArrayLike<number>} outcomes   1: failed, 0: succeeded
 * @returns {number}   the number, from 1, of the outcome that opens; 0: none of them does
 */
export function opensAt(
  { type, size = Number.POSITIVE_INFINITY, failures, minimum, rate },
  outcomes,
) {
  let failed = 0
  let inRow = 0
  for (let index = 0; index < outcomes.length; index++) {
    const calls = Math.min(index + 1, size)
    failed += outcomes[index] - (index >= size ? outcomes[index - size] : 0)
    inRow = outcomes[index] === 1 ? inRow + 1 : 0
    const opens =
      type === 'consecutive' ? inRow >= failures : calls >= minimum && failed / calls >= rate
    if (opens) return index + 1
  }
  return 0
}
