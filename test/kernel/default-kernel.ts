/** Stands for src/options/default-kernel.ts in `npm run test:wasm`. */
import type { KernelKind } from '../../src/options/default-kernel.ts'

export const DEFAULT_KERNEL: KernelKind = 'wasm'
