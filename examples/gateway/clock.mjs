/** Milliseconds on the machine's monotonic clock: the same in every thread and child process. */
export function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6
}
