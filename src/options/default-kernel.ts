/** What carries out the calls of the hot path. A file of its own, so that tests can swap it. */

export type KernelKind = 'js' | 'wasm'

export const DEFAULT_KERNEL: KernelKind = 'js'
