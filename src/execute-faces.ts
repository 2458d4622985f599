/** The other faces of `execute`, the same for whatever calls are made through. */
import type { RefusalNote } from './execute.ts'
import { requireFunction } from './options/execute.ts'

/** What `tryExecute` resolves to. `refused`: the call was not let through. */
export type ExecuteResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refused: boolean; readonly error: unknown }

/** `run` so that it never rejects: says what happened. */
export async function tried<T>(run: (note: RefusalNote) => Promise<T>): Promise<ExecuteResult<T>> {
  const note = { refused: false }
  try {
    return { ok: true, value: await run(note) }
  } catch (error) {
    return { ok: false, refused: note.refused, error }
  }
}

interface Executor {
  execute<T>(fn: () => T | PromiseLike<T>): Promise<T>
}

/** `fn` guarded by `part`: `this` and arguments are passed on. */
export function wrapped<A extends unknown[], T>(
  part: Executor,
  fn: (...args: A) => PromiseLike<T> | T,
): (...args: A) => Promise<T> {
  requireFunction(fn)
  return function (this: unknown, ...args: A): Promise<T> {
    return part.execute(() => fn.apply(this, args))
  }
}
