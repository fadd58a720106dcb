import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

/** Sources are tested as they stand: workspace packages resolve to TypeScript, not to their build. */
const conditions = ['@lab/source'];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'node'], externalConditions: conditions } },
};

const integration = '**/*.int.test.ts';
const workers = Math.max(2, availableParallelism());

/**
 * Files of one worker share their modules, so that a worker loads the libraries once. A test must therefore leave no
 * state in a module and must not replace a module with `vi.mock`.
 */
const sharedModules = { isolate: false, maxWorkers: workers };

/** One PostgreSQL and one nats-server for all files of a run; each starts when a test first needs it. */
const globalSetup = 'libs/testkit/test/global-setup.ts';

export default defineConfig({
  test: {
    passWithNoTests: true,
    projects: [
      {
        ...shared,
        // No test here needs a server or a process of the service.
        test: {
          ...sharedModules,
          name: 'unit',
          include: ['{libs,apps}/*/test/**/*.test.ts', 'lab-packages/*/**/*.test.ts'],
          exclude: [...configDefaults.exclude, integration],
          pool: 'threads',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          ...sharedModules,
          name: 'tools',
          include: ['tools/test/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...shared,
        // Tests with real servers and real processes.
        test: {
          ...sharedModules,
          name: 'int',
          include: [`{libs,apps}/*/test/${integration}`],
          globalSetup,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          globalSetup,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Two whole stacks at a time, after everything that is smaller.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
