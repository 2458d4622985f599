/** What a throttle does, said plainly: every outcome is kept, and one thing happens at a time. */
import type { ResolvedThrottleOptions } from '../../../src/overload/throttle.ts'

const BUCKETS = 10
const INTERVAL_MS = 100
const PARTS = 2 ** 24

type Kind = 'accepted' | 'rejected' | 'refused'

export class Reference {
  readonly #options: ResolvedThrottleOptions
  readonly #outcomes: { readonly kind: Kind; readonly bucket: number }[] = []
  now = 0
  #published = 0
  #due = 0

  constructor(options: ResolvedThrottleOptions) {
    this.#options = options
  }

  /** `draw`: gives the next random number in [0, 2^24), asked for only where one decides. */
  tryAcquire(draw: () => number): boolean {
    if (this.#published === 0) return true
    const drawn = draw()
    if (drawn >= this.#published) return true
    this.#publishIfDue()
    if (drawn >= this.#published) return true
    this.#keep('refused')
    return false
  }

  record(kind: 'accepted' | 'rejected'): void {
    this.#keep(kind)
    this.#publishIfDue()
  }

  #keep(kind: Kind): void {
    this.#outcomes.push({ kind, bucket: this.#bucket() })
  }

  #bucket(): number {
    return Math.floor(this.now / (this.#options.windowMs / BUCKETS))
  }

  #publishIfDue(): void {
    if (this.now < this.#due) return
    this.#due = this.now + INTERVAL_MS
    const { rejectionProbability } = this.look()
    this.#published = Math.min(Math.floor(rejectionProbability * PARTS), PARTS - 1)
  }

  look(): Record<'rejectionProbability' | 'requests' | 'accepts' | 'refused', number> {
    const oldest = this.#bucket() - BUCKETS + 1
    const held = this.#outcomes.filter(({ bucket }) => bucket >= oldest)
    const of = (kind: Kind): number => held.filter(outcome => outcome.kind === kind).length
    const requests = held.length
    const accepts = of('accepted')
    const { k, windowMs, minimumRequestsPerSecond, maxRejectionProbability } = this.#options
    const probability = (requests - k * accepts) / (requests + 1)
    const isBusy = requests / (windowMs / 1000) >= minimumRequestsPerSecond
    const rejectionProbability = isBusy
      ? Math.min(maxRejectionProbability, Math.max(0, probability))
      : 0
    return { rejectionProbability, requests, accepts, refused: of('refused') }
  }
}
