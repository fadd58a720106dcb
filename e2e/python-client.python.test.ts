import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { processEnvironment } from '@lab/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildWheel, pythonEnvironment, pythonPackages, type Wheel } from '../tools/python/wheel.js';
import { Api } from './api.js';
import { startLab, type Lab } from './lab.js';

/** The packages for Python as a scientist gets them: their wheels, the notebooks and the page of the guide, on the real service. */

const root = join(import.meta.dirname, '..');
const { python, wheels } = pythonEnvironment();
/** Each notebook with a state that it shows. */
const notebooks = { '1_first_run': 'completed', '2_campaign': 'completed', '3_own_optimizer': 'measured' };

let lab: Lab;
let folder: string;
let token: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-python-'));
  lab = await startLab(['color_lab', 'multiplication_lab'], { env: { SVC_AUTH: 'tokens' }, idle: false });
  const svc = [join(root, 'apps/cli/bin/svc.mjs'), 'token', 'create', 'ada'];
  const roles = ['--role', 'submitter', '--role', 'operator', '--local'];
  token = await run(process.execPath, [...svc, ...roles], { SVC_DATA_DIR: lab.stack.dataDir });
});
afterAll(async () => {
  await lab?.stack.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Standard output of a program. @throws Error with all that it printed */
async function run(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv = {},
  input = '',
): Promise<string> {
  const options = { cwd: folder, env: { ...processEnvironment(), ...env }, maxBuffer: 1 << 26 };
  const work = promisify(execFile)(program, args, options);
  work.child.stdin?.end(input);
  const { stdout } = await work.catch((error: Error & { stdout: string; stderr: string }) => {
    throw new Error(`${program} ${args.join(' ')}\n${error.stdout}${error.stderr}`);
  });
  return stdout.trim();
}

/** The environment of a scientist who uses the sources. */
const asScientist = (): NodeJS.ProcessEnv => ({
  SVC_URL: lab.stack.url,
  SVC_TOKEN: token,
  PYTHONPATH: join(root, 'libs/python-client/src'),
  PYTHONDONTWRITEBYTECODE: '1',
  IPYTHONDIR: join(folder, 'ipython'),
  JUPYTER_RUNTIME_DIR: join(folder, 'jupyter'),
});

describe.concurrent.each(pythonPackages)('%s', (name) => {
  const at = join(root, 'libs', name);
  const env = { PYTHONDONTWRITEBYTECODE: '1', RUFF_NO_CACHE: 'true' };

  it('passes ruff', async () => {
    await run(python, ['-m', 'ruff', 'check', '--quiet', at], env);
    await run(python, ['-m', 'ruff', 'format', '--quiet', '--check', at], env);
  });

  it('passes pyright', async () => {
    const pyright = join(root, 'node_modules/pyright/index.js');
    await run(process.execPath, [pyright, '--pythonpath', python, '--project', at], env);
  });

  it('passes its own tests', async () => {
    const printed = await run(
      python,
      ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--rootdir', at, at],
      env,
    );
    expect(printed).toMatch(/^[1-9]\d* passed/m);
    expect(printed).not.toMatch(/skipped/);
  });
});

it.each(['optuna', 'pandas', 'skopt'])(
  'the optimizers with %s follow the rules, with the real library',
  async (library) => {
    const test = join(root, 'libs/python-host/test/optimizers', `test_${library}.py`);
    const env = {
      PYTHONPATH: join(root, 'libs/python-host/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONWARNINGS: 'ignore',
      OMP_NUM_THREADS: '1',
    };
    const printed = await run(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', test], env);
    expect(printed).toMatch(/^[1-9]\d* passed/m);
    expect(printed).not.toMatch(/skipped/);
  },
);

describe.concurrent('the wheels', () => {
  const build = async (to: string): Promise<Wheel[]> => {
    mkdirSync(join(folder, to));
    const built: Wheel[] = [];
    for (const name of pythonPackages) built.push(await buildWheel(name, join(folder, to)));
    return built;
  };

  it('have the same bytes whenever they are built, and drive a campaign from an empty environment', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    const [one, other] = [await build('one'), await build('other')];
    expect(one.map(({ sha256 }) => sha256)).toEqual(other.map(({ sha256 }) => sha256));
    expect(one.map(({ path }) => basename(path))).toEqual(
      ['svc_client', 'svc_lab'].map((name) => `${name}-${version}-py3-none-any.whl`),
    );
    // Without a network: pip finds what the wheel needs among the wheels that were fetched before.
    const venv = join(folder, 'empty');
    await run(python, ['-m', 'venv', venv]);
    const own = join(venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
    const sources = ['--no-index', '--find-links', wheels, '--find-links', join(folder, 'one')];
    await run(own, [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      ...sources,
      'svc-client',
      'svc-lab',
    ]);
    const program = `
import svc_client, svc_lab
svc = svc_client.connect()
factors = iter([2, 4, 8])
found = []
study = svc.campaigns.drive(
    "from_wheels", protocol="optimize_multiplication", outputs=["score.loss"],
    global_parameters={"first": {"number": 8}, "second": {"factor": 16}}, max_concurrent_protocol_runs=2,
)
study.run(lambda: {"first.factor": next(factors)}, lambda inputs, outputs: found.append((inputs, outputs)), trials=3)
print(svc_client.__file__, study.state, sorted((i["first.factor"], o["score.loss"]) for i, o in found))
`;
    const { SVC_URL, SVC_TOKEN } = asScientist();
    const printed = await run(own, ['-I', '-c', program], { SVC_URL, SVC_TOKEN });
    expect(printed).toContain(venv);
    expect(printed).toContain('completed [(2, 768), (4, 512), (8, 0)]');
    expect(await new Api(lab.stack.url, token).campaign('from_wheels')).toMatchObject({
      state: 'completed',
      max_protocol_runs: 3,
      protocol_runs_completed: 3,
    });
  });
});

interface Output {
  name?: string;
  text?: string[];
  data?: Record<string, string[] | string>;
}

describe.concurrent('the notebooks', () => {
  it.each(Object.entries(notebooks))('%s runs on the real service', async (name, state) => {
    const target = join(folder, `${name}.ipynb`);
    const source = join(root, 'libs/python-client/notebooks', `${name}.ipynb`);
    await run(python, [join(root, 'e2e/python/execute_notebook.py'), source, target], asScientist());
    const { cells } = JSON.parse(readFileSync(target, 'utf8')) as { cells: { outputs?: Output[] }[] };
    const outputs = cells.flatMap((cell) => cell.outputs ?? []);
    const html = outputs.map(({ data }) => [data?.['text/html'] ?? ''].flat().join('')).join('');
    expect(html).toContain('<progress');
    expect(html).toContain(state);
    expect(outputs.filter(({ data }) => data?.['image/png'] !== undefined)).toHaveLength(1);
    expect(outputs.filter(({ name: stream }) => stream === 'stderr')).toEqual([]);
    expect(readFileSync(target, 'utf8')).not.toContain(token);
    const kept = JSON.parse(readFileSync(source, 'utf8')) as { cells: { outputs?: Output[] }[] };
    expect(kept.cells.flatMap((cell) => cell.outputs ?? [])).toEqual([]);
  });
});

describe.concurrent('the page "From a notebook"', () => {
  it('shows what its blocks do', async () => {
    const text = readFileSync(join(root, 'docs/guide/notebook.md'), 'utf8');
    const blocks = [...text.matchAll(/^```python\n([\s\S]*?)^```$(?:\n\n^```text\n([\s\S]*?)^```$)?/gm)];
    expect(blocks.length).toBeGreaterThan(10);
    const typer = join(root, 'e2e/python/type_blocks.py');
    const input = JSON.stringify(blocks.map(([, block]) => block));
    const shown = JSON.parse(await run(python, [typer], asScientist(), input)) as string[];
    for (const [index, [, block = '', expected = '']] of blocks.entries())
      for (const line of expected.trim().split('\n'))
        expect(
          shows(shown[index] ?? '', line),
          `${block}\nshowed\n${shown[index] ?? ''}\nwithout\n${line}`,
        ).toBe(true);
  });
});

/** Says whether a text has a line of the page, on which `...` matches any text. */
function shows(text: string, line: string): boolean {
  const parts = line.split('...').map((part) => part.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('.*'), 'm').test(text);
}
