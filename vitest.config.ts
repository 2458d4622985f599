/** All tests: those that look at clocks one file after the other, the rest side by side. */
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

/** What other work on the machine would disturb: times, loads, what is collected, what is drawn. */
const MEASURED = [
  'test/{bench,blocked,dashboard,examples,top}/**/*.test.ts',
  'test/overload/{budget,bulkhead,timeouts}/*.test.ts',
  'test/overload/**/{backend,late-keeper,threads}.test.ts',
  'test/**/{allocation,keeper*,prometheus-server}.test.ts',
]

/** `measured` run one after the other, the other files that `include` names side by side. */
export function projectsOf(
  include: string[],
  measured: string[],
  without: string[] = [],
): TestProjectInlineConfiguration[] {
  const exclude = [...configDefaults.exclude, ...without]
  const maxWorkers = Math.max(2, availableParallelism() - 1)
  const exact = { name: 'exact', include, exclude: [...exclude, ...measured], maxWorkers }
  const alone = { name: 'measured', include: measured, exclude, maxWorkers: 1 }
  return [exact, alone].map((test, groupOrder) => ({
    extends: true,
    test: { ...test, sequence: { groupOrder } },
  }))
}

export default defineConfig({
  resolve: {
    alias: { '#atomics': fileURLToPath(new URL('src/memory/atomics.ts', import.meta.url)) },
  },
  test: {
    globalSetup: ['test/build.setup.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: projectsOf(['{test,native-layout}/**/*.test.ts'], MEASURED),
  },
})
