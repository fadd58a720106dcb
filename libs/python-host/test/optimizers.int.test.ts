import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Python } from '@lab/hosting';
import { withoutPython } from '@lab/testkit/python';
import { describe, expect, it } from 'vitest';

/**
 * The optimizers of libraries, with the real libraries that the Python of this computer has. `pytest libs/python-host/test/optimizers` runs the
 * same tests, and needs all libraries.
 */

const folder = fileURLToPath(new URL('../', import.meta.url));
const run = promisify(execFile);
const python = new Python();

/** Files of tests, by the module of the library that they need. */
const libraries = ['optuna', 'skopt', 'ax', 'botorch', 'bofire'] as const;

async function isInstalled(module: string): Promise<boolean> {
  const program = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${module}") is None)`;
  return run(python.program, ['-I', '-c', program]).then(
    () => true,
    () => false,
  );
}

const found = withoutPython() || 'why' in (await python.find()) ? [] : await present();

async function present(): Promise<string[]> {
  const installed: string[] = [];
  for (const library of libraries) if (await isInstalled(library)) installed.push(library);
  const missing = libraries.filter((library) => !installed.includes(library));
  if (missing.length > 0)
    process.stderr.write(`This Python has no ${missing.join(', ')}: tests of their optimizers DO NOT RUN.\n`);
  return installed;
}

describe('the optimizers of libraries', () => {
  it('have a file of tests for each library', () => {
    const files = readdirSync(`${folder}test/optimizers`).filter((name) => name.startsWith('test_'));
    expect(files.sort()).toEqual(libraries.map((library) => `test_${library}.py`).sort());
  });

  it.runIf(found.length > 0).each(found.length > 0 ? found : ['none'])(
    'of %s follow the rules',
    async (library) => {
      const { stderr } = await run(python.program, [`test/optimizers/test_${library}.py`], {
        cwd: folder,
        env: {
          PYTHONPATH: 'src',
          PYTHONDONTWRITEBYTECODE: '1',
          PYTHONWARNINGS: 'ignore',
          OMP_NUM_THREADS: '1',
        },
      });
      expect(stderr).toMatch(/^Ran [1-9]\d* tests?[\s\S]*^OK$/m);
    },
    300_000,
  );
});
