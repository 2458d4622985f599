// A program that has nothing to do but to try again.
import { retry } from '../../dist/index.js'

const call = ({ attempt }) => {
  console.log(`attempt ${attempt}`)
  if (attempt < 3) throw new Error('boom')
}

retry(call, { backoff: { initialMs: 20, jitter: 'none' } })
