import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    alias: { '#atomics': fileURLToPath(new URL('src/memory/atomics.ts', import.meta.url)) },
  },
  test: {
    include: ['{test,native-layout}/**/*.test.ts'],
    globalSetup: ['test/build.setup.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
