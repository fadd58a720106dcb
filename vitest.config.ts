import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Sources are tested as they stand: workspace packages resolve to TypeScript, not to their build. */
const conditions = ['@lab/source'];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions: [...conditions, 'node'], externalConditions: conditions } },
};

const integration = '**/*.int.test.ts';
/** Integration tests that wait for seconds or compute for minutes; only `npm run test:all` runs them. */
const slow = '**/*.slow.int.test.ts';
/** End-to-end tests of what README.md promises; `npm test` runs them, and `npm run test:all` all others too. */
const promises = ['demo', 'multiplication', 'readme', 'restart', 'tutorial'].map(
  (name) => `e2e/${name}.e2e.test.ts`,
);

/** Tests in namespaces of Linux: each computer has a network and disks of its own. Only `npm run test:all` runs them. */
const namespaces = '{e2e,libs/*/test}/*.namespaces.*.test.ts';
/** Of these, the one that waits for minutes. It measures nothing that other tests could delay. */
const longWait = 'e2e/long-cable-cut.namespaces.e2e.test.ts';

/** The package for Windows in Wine. Only `npm run test:wine` runs it, because Wine takes 1.4 GB of the disk. */
const wine = '**/*.wine.test.ts';

/** The page in a browser. Only `npm run test:web` runs it, because the browser takes 300 MB of the disk. */
const web = 'e2e/*.web.test.ts';

/** The client for Python and its notebooks. Only `npm run test:python` runs them, because they need 640 MB of packages from PyPI. */
const python = 'e2e/*.python.test.ts';

/**
 * Images and proxies as they are deployed, and labs by Nx. Only `npm run test:deploy` runs them, because they need packages of Debian,
 * and minutes.
 */
const deployed = '{deploy/test,e2e}/*.deploy.test.ts';

const cores = Math.max(2, availableParallelism());

/** A busy machine stops a process for seconds, so a test waits longer than Vitest's 1 s for what must come. */
const patient = { expect: { poll: { timeout: 20_000 } } };

/**
 * Files of one worker share their modules, so that a worker loads the libraries once. A test must therefore leave no
 * state in a module and must not replace a module with `vi.mock`.
 */
const computing = { ...patient, isolate: false, maxWorkers: cores };
/** Most of the time of these tests is waiting for other processes. */
const waiting = { ...patient, isolate: false, maxWorkers: cores + 1, sequence: { groupOrder: 1 } };
const endToEnd = { ...waiting, testTimeout: 240_000, hookTimeout: 240_000 };
/** Whole stacks start after everything that is smaller. They wait for simulated instruments more than they compute. */
const wholeStacks = { ...endToEnd, maxWorkers: cores + 2, sequence: { groupOrder: 2 } };

/** One PostgreSQL and one nats-server for all files of a run; each starts when a test first needs it. */
const globalSetup = 'libs/testkit/test/global-setup.ts';

/** `--mode all` makes all repetitions of the tests that repeat themselves, else they make a tenth. */
const scale = (mode: string): Record<string, string> => (mode === 'all' ? { SVC_TEST_SCALE: '1' } : {});

/** Files that take longer than a minute. A long file that begins last lets the other workers wait for it. */
const longest =
  /\/(rotation\.slow|agent\.slow|code-user\.slow|cp-sat\.slow|start\.slow|leadership\.slow|killed\.slow|peers\.slow|assembly|contract|schedules|guide\.e2e|deploy\.e2e|backup\.e2e|stop-and-go\.e2e|quotas\.e2e|pipeline\.e2e|reload\.e2e|campaigns\.e2e|other-systems\.e2e|python-frameworks\.e2e|instruments\.e2e|sila\.e2e|long-cable-cut|web\.web|web-work|web-quality)\b/;

/** Starts the longest files of a group first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ project, moduleId }: TestSpecification): number =>
      Number(project.name === 'promises' || longest.test(moduleId));
    return (await super.sort(files)).sort((a, b) => isLong(b) - isLong(a));
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    passWithNoTests: true,
    sequence: { sequencer: LongestFirst },
    // The projects transform the same sources in the same way. With it, each is transformed once, also for later runs.
    experimental: { fsModuleCache: true },
    coverage: {
      provider: 'v8',
      include: ['{libs,apps}/*/src/**/*.ts'],
      exclude: ['libs/testkit/**', '**/src/testing/**', 'libs/api-client/src/generated.ts'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      // The floor, in percent of the code of all files, also of those that only run in processes of their own.
      // It may rise and must not fall.
      thresholds: mode === 'all' ? { statements: 87, branches: 80.5 } : {},
    },
    // A new project runs in each change only if `.ci/run` names it.
    projects: [
      {
        ...shared,
        // No test here needs a server or a process of the service.
        test: {
          ...computing,
          name: 'unit',
          env: scale(mode),
          include: ['{libs,apps}/*/test/**/*.test.ts', 'lab-packages/*/**/*.test.ts'],
          exclude: [...configDefaults.exclude, integration, wine],
          pool: 'threads',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        ...shared,
        test: {
          ...computing,
          name: 'tools',
          include: ['tools/test/**/*.test.ts', 'deploy/test/*.test.ts'],
          exclude: [...configDefaults.exclude, deployed],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ...shared,
        // Tests with real servers and real processes.
        test: {
          ...waiting,
          name: 'int',
          env: scale(mode),
          include: [`{libs,apps}/*/test/${integration}`],
          exclude: [...configDefaults.exclude, slow, namespaces],
          globalSetup,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...shared,
        test: {
          ...waiting,
          name: 'slow',
          env: scale(mode),
          include: [`{libs,apps}/*/test/${slow}`],
          globalSetup,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        ...shared,
        // They wait for simulated instruments, so smaller tests run beside them.
        test: { ...endToEnd, name: 'promises', include: promises, globalSetup },
      },
      {
        ...shared,
        test: {
          ...wholeStacks,
          name: 'e2e',
          include: ['e2e/**/*.e2e.test.ts'],
          exclude: [...configDefaults.exclude, ...promises, namespaces],
          globalSetup,
        },
      },
      {
        ...shared,
        test: {
          ...waiting,
          name: 'wine',
          include: mode === 'wine' ? [`apps/*/test/${wine}`] : [],
          globalSetup,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        ...shared,
        test: {
          ...endToEnd,
          name: 'deploy',
          include: mode === 'deploy' ? [deployed] : [],
          globalSetup,
        },
      },
      {
        ...shared,
        test: { ...endToEnd, name: 'python', include: mode === 'python' ? [python] : [] },
      },
      {
        ...shared,
        test: {
          ...endToEnd,
          name: 'web',
          include: mode === 'web' ? [web] : [],
          globalSetup,
          testTimeout: 150_000,
        },
      },
      {
        ...shared,
        test: {
          ...wholeStacks,
          name: 'cable',
          include: process.platform === 'linux' ? [longWait] : [],
        },
      },
      {
        ...shared,
        test: {
          ...endToEnd,
          // Alone: they measure how soon the service answers.
          sequence: { groupOrder: 3 },
          name: 'namespaces',
          include: process.platform === 'linux' ? [namespaces] : [],
          exclude: [...configDefaults.exclude, longWait],
          testTimeout: 150_000,
        },
      },
    ],
  },
}));
