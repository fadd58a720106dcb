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

/** The module of the library that each file of tests needs. */
const needs: Readonly<Record<string, string>> = {
  test_ax: 'ax',
  test_bofire: 'bofire',
  test_botorch: 'botorch',
  test_eos: 'bofire',
  test_optuna: 'optuna',
  test_pandas: 'pandas',
  test_skopt: 'skopt',
};

async function isInstalled(module: string): Promise<boolean> {
  const program = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${module}") is None)`;
  return run(python.program, ['-I', '-c', program]).then(
    () => true,
    () => false,
  );
}

const found = withoutPython() || 'why' in (await python.find()) ? [] : await present();

/** The files whose library is installed. */
async function present(): Promise<string[]> {
  const missing: string[] = [];
  for (const library of new Set(Object.values(needs)))
    if (!(await isInstalled(library))) missing.push(library);
  if (missing.length > 0)
    process.stderr.write(`This Python has no ${missing.join(', ')}: tests of their optimizers DO NOT RUN.\n`);
  return Object.keys(needs).filter((file) => !missing.includes(needs[file]!));
}

describe('the optimizers of libraries', () => {
  it('are all tested', () => {
    const files = readdirSync(`${folder}test/optimizers`).filter((name) => name.startsWith('test_'));
    expect(files.sort()).toEqual(Object.keys(needs).map((file) => `${file}.py`));
  });

  it.runIf(found.length > 0).each(found.length > 0 ? found : ['none'])(
    'in %s follow the rules',
    async (file) => {
      const { stderr } = await run(python.program, [`test/optimizers/${file}.py`], {
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
