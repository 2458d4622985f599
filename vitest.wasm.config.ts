/** The tests of what registries do, on registries whose default kernel is WebAssembly. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import base, { projectsOf } from './vitest.config.ts'

const FOLDERS = [
  'cases',
  'hostile',
  'kernel',
  'linearize',
  'model',
  'news',
  'threads',
  'unit',
  'verify',
]
const NATIVE = ['conservation', 'handover', 'histories', 'news', 'trips', 'vanish']

export default defineConfig({
  ...base,
  resolve: {
    alias: {
      ...base.resolve?.alias,
      './default-kernel.ts': fileURLToPath(
        new URL('test/kernel/default-kernel.ts', import.meta.url),
      ),
    },
  },
  test: {
    ...base.test,
    projects: projectsOf(
      [`test/{${FOLDERS}}/**/*.test.ts`, `native-layout/test/{${NATIVE}}.test.ts`],
      ['test/threads/keeper*.test.ts'],
      // The first two run both kernels by themselves; the others are about the keeper's own work.
      ['allocation', 'kernel/twins', 'keeper-process', 'keeper-upkeep'].map(
        name => `**/${name}.test.ts`,
      ),
    ),
    env: { BUSBAR_TEST_KERNEL: 'wasm' },
  },
})
