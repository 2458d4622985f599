/** The tests of what registries do, on registries whose default kernel is WebAssembly. */
import { fileURLToPath } from 'node:url'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

const replacement = fileURLToPath(new URL('test/kernel/default-kernel.ts', import.meta.url))

export default mergeConfig(
  base,
  defineConfig({
    resolve: { alias: [{ find: './default-kernel.ts', replacement }] },
    test: {
      include: [
        'cases',
        'hostile',
        'kernel',
        'linearize',
        'model',
        'threads',
        'unit',
        'verify',
      ].map(folder => `test/${folder}/**/*.test.ts`),
    },
  }),
)
