/** What a user's own function threw, where no caller could be told. */
export function warn(what: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.emitWarning(`busbar: ${what} threw: ${text}`)
}
