import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Sources are tested as they stand: workspace packages resolve to TypeScript, not to their build. */
const conditions = ['@lab/source'];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'node'], externalConditions: conditions } },
};

const workers = Math.max(2, availableParallelism() - 1);

const projects = ['libs', 'apps'].flatMap((group) =>
  readdirSync(new URL(group, import.meta.url)).flatMap((name) => [
    {
      ...shared,
      // Property tests take their time on a busy machine.
      test: {
        name,
        root: `${group}/${name}`,
        include: ['test/**/*.test.ts'],
        exclude: ['**/*.int.test.ts'],
        testTimeout: 30_000,
        hookTimeout: 30_000,
      },
    },
    {
      ...shared,
      test: {
        name: `${name}:int`,
        root: `${group}/${name}`,
        include: ['test/**/*.int.test.ts'],
        testTimeout: 120_000,
        hookTimeout: 120_000,
      },
    },
  ]),
);

export default defineConfig({
  test: {
    passWithNoTests: true,
    // Vitest leaves one core to itself by default; here most of a file's time is waiting for processes to start.
    maxWorkers: workers,
    projects: [
      ...projects,
      {
        ...shared,
        // The compiler checks what the guide shows.
        test: {
          name: 'tools',
          root: 'tools',
          include: ['test/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'lab-packages',
          root: 'lab-packages',
          include: ['*/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          root: 'e2e',
          include: ['**/*.e2e.test.ts'],
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
