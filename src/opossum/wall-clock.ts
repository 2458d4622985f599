/**
 * The time that other processes read: of states that are saved, and of results in caches that may
 * be anywhere. Nothing else goes by it.
 */
export function wallNow(): number {
  return Date.now()
}
