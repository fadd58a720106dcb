import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadPackages } from '@lab/definitions';
import type { CreateCampaignOptimizer } from '@lab/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPackages } from '../src/pkg/check.js';
import { linkProduct } from '../src/pkg/editor-links.js';
import { deviceKinds } from '../src/pkg/kinds/index.js';
import { addPart, createPackage } from '../src/pkg/scaffold.js';

/** The files that `svc pkg create` and `svc pkg add` write. */

let folder: string;
let userDir: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-scaffold-'));
  userDir = join(folder, 'packages');
  await createPackage(userDir, 'demo_pkg');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (path: string): string => join(userDir, 'demo_pkg', path);
const edit = (path: string, from: string, to: string): void =>
  writeFileSync(file(path), readFileSync(file(path), 'utf8').replace(from, to));
const errorsOf = async (): Promise<string[]> =>
  (await checkPackages({ userDir, packageDir: null })).errors.map(({ message }) => message);

describe('a new package', () => {
  it('names no folder of this computer in its settings for editors, and links the product', () => {
    const settings = readFileSync(file('tsconfig.json'), 'utf8');
    expect(Object.keys((JSON.parse(settings) as { compilerOptions: object }).compilerOptions)).toEqual([
      'target',
      'lib',
      'module',
      'strict',
      'noEmit',
      'types',
    ]);
    const sdk = file('node_modules/@lab/sdk');
    expect(JSON.parse(readFileSync(join(realpathSync(sdk), 'package.json'), 'utf8'))).toMatchObject({
      name: '@lab/sdk',
    });
    expect(existsSync(file('node_modules/@types/node/index.d.ts'))).toBe(true);
    expect(readFileSync(file('.gitignore'), 'utf8')).toBe('node_modules/\n');
    expect(linkProduct(file('.'))).toEqual([]);
    rmSync(sdk);
    expect(linkProduct(file('.'))).toEqual(['@lab/sdk']);
  });
});

describe('a package in Python', () => {
  const written = async (...parts: Parameters<typeof addPart>): Promise<string[]> =>
    (await addPart(...parts)).written.map((path) => path.slice(userDir.length + 1));

  it('has a pyproject.toml, and its devices and tasks are in Python', async () => {
    const { written: files } = await createPackage(userDir, 'py_pkg', true);
    expect(files.map((path) => path.slice(userDir.length + 1))).toEqual([
      'py_pkg/pyproject.toml',
      'py_pkg/.gitignore',
    ]);
    expect(await written(userDir, 'device', 'py_pkg', 'arm')).toContain('py_pkg/devices/arm/device.py');
    expect(await written(userDir, 'task', 'py_pkg', 'move')).toContain('py_pkg/tasks/move/task.py');
    expect(await errorsOf()).toEqual([]);
    expect(readFileSync(join(userDir, 'py_pkg/tasks/move/task.py'), 'utf8')).toContain("devices['arm'].name");
  });

  it('has a device type of a framework, which loads without an error as it is written', async () => {
    await createPackage(userDir, 'py_pkg', true);
    for (const framework of ['ophyd', 'pylabrobot', 'pymeasure', 'qcodes', 'visa'] as const) {
      const type = `${framework}_thing`;
      expect(await written(userDir, 'device', 'py_pkg', type, { framework })).toEqual([
        `py_pkg/devices/${type}/device.yml`,
        `py_pkg/devices/${type}/device.py`,
      ]);
      expect(readFileSync(join(userDir, `py_pkg/devices/${type}/device.py`), 'utf8')).toContain(
        `from svc_lab.frameworks.${framework} import `,
      );
    }
    // A device of a framework is in Python, also in a package in TypeScript.
    expect(await written(userDir, 'device', 'demo_pkg', 'meter', { framework: 'qcodes' })).toContain(
      'demo_pkg/devices/meter/device.py',
    );
    expect(await errorsOf()).toEqual([]);
    await expect(addPart(userDir, 'task', 'py_pkg', 'move', { framework: 'qcodes' })).rejects.toThrow(
      '--framework is for devices: a task has none',
    );
  });

  it('is one package with code in TypeScript when each part says its language', async () => {
    expect(await written(userDir, 'device', 'demo_pkg', 'arm', { python: true })).toContain(
      'demo_pkg/devices/arm/device.py',
    );
    expect(await written(userDir, 'device', 'demo_pkg', 'pump')).toContain('demo_pkg/devices/pump/device.ts');
    expect(await errorsOf()).toEqual([]);
  });
});

describe('a new device of a kind', () => {
  const lab = (): string => readFileSync(file('laboratories/bench/lab.yml'), 'utf8');
  beforeEach(() => addPart(userDir, 'lab', 'demo_pkg', 'bench'));

  it.each(deviceKinds.map(({ name }) => name))(
    'is without errors, and simulated if the kind has a twin: %s',
    async (kind) => {
      await addPart(userDir, 'device', 'demo_pkg', 'thing', { kind });
      expect(await errorsOf()).toEqual([]);
      const type = readFileSync(file('devices/thing/device.yml'), 'utf8');
      // A server of SiLA 2 says itself whether it simulates.
      if (kind !== 'sila') expect(/^ +simulate: true$/m.test(type) || /^ +simulate:/m.test(lab())).toBe(true);
    },
  );

  it('has the init parameters that a person chooses in the lab, and refuses others', async () => {
    const set = { address: '10.0.0.4:50052', insecure: 'true', server_name: "Ada's reader" };
    await addPart(userDir, 'device', 'demo_pkg', 'reader', { kind: 'sila', set });
    expect(await errorsOf()).toEqual([]);
    expect(lab()).toContain(
      "address: '10.0.0.4:50052'\n      insecure: true\n      server_name: 'Ada''s reader'\n",
    );
    for (const [options, why] of [
      [
        { kind: 'sila', set: { port: '1' } },
        /--set port: the kind sila has no such parameter; it has address,/,
      ],
      [{ set: { port: '1' } }, '--set is for devices of a kind: name it with --kind'],
    ] as const)
      await expect(addPart(userDir, 'device', 'demo_pkg', 'other', options)).rejects.toThrow(why);
    await createPackage(userDir, 'without_lab');
    await expect(addPart(userDir, 'device', 'without_lab', 'other', { kind: 'sila', set })).rejects.toThrow(
      'the package has no lab without errors',
    );
  });

  it('names the npm packages with native parts that it needs, and keeps what package.json has', async () => {
    const before = JSON.parse(readFileSync(file('package.json'), 'utf8')) as object;
    const { changed } = await addPart(userDir, 'device', 'demo_pkg', 'scale', { kind: 'serial' });
    expect(changed.map(({ what }) => what)).toContain('serialport, which the agent installs');
    expect(JSON.parse(readFileSync(file('package.json'), 'utf8'))).toEqual({
      ...before,
      dependencies: { '@lab/sdk': '*', serialport: '13.0.0' },
      svc: { external: ['serialport'] },
    });
    const again = await addPart(userDir, 'device', 'demo_pkg', 'pump', { kind: 'serial' });
    expect(again.changed.map(({ what }) => what)).toEqual(['the device pump_1']);
  });

  it('is seen by a task with its functions', async () => {
    await addPart(userDir, 'device', 'demo_pkg', 'supply', { kind: 'scpi' });
    await addPart(userDir, 'task', 'demo_pkg', 'power');
    edit(
      'tasks/power/task.ts',
      'await pause',
      "await devices.supply.set_voltage({ volts: '3' });\n    await pause",
    );
    expect(await errorsOf()).toEqual([expect.stringContaining('not assignable')]);
  });

  it.each([
    [{ kind: 'gpib' }, 'device', /there is no kind "gpib": there are eos, http, .*, sila$/],
    [{ kind: 'scpi', python: true }, 'device', /is written in TypeScript: leave --python out/],
    [{ kind: 'scpi' }, 'task', /--kind is for devices/],
  ] as const)('is refused with %j for a %s', async (options, part, message) => {
    await expect(addPart(userDir, part, 'demo_pkg', 'thing', options)).rejects.toThrow(message);
    expect(existsSync(file('devices/thing'))).toBe(false);
  });
});

describe('a new task', () => {
  const imports = (task: string): RegExpExecArray | null =>
    /import type \w+ from '(.*)'/.exec(readFileSync(file(`tasks/${task}/task.ts`), 'utf8'));

  it('uses the first device type of the package, another one of any package, or none', async () => {
    await addPart(userDir, 'device', 'demo_pkg', 'arm');
    await addPart(userDir, 'device', 'demo_pkg', 'pump');
    await createPackage(userDir, 'other');
    await addPart(userDir, 'device', 'other', 'scale');
    const { note } = await addPart(userDir, 'task', 'demo_pkg', 'move');
    expect(note).toContain('--device TYPE');
    const chosen = await addPart(userDir, 'task', 'demo_pkg', 'fill', { device: 'pump' });
    expect(chosen.note).toBeUndefined();
    await addPart(userDir, 'task', 'demo_pkg', 'weigh', { device: 'scale' });
    await addPart(userDir, 'task', 'demo_pkg', 'think', { device: false });
    expect(['move', 'fill', 'weigh', 'think'].map((task) => imports(task)?.[1])).toEqual([
      '../../devices/arm/device.js',
      '../../devices/pump/device.js',
      '../../../other/devices/scale/device.js',
      undefined,
    ]);
    expect(await errorsOf()).toEqual([]);
    await expect(addPart(userDir, 'task', 'demo_pkg', 'x', { device: 'pumpe' })).rejects.toThrow(
      'there is no device type "pumpe" without errors: did you mean "pump"?',
    );
    expect(existsSync(file('tasks/x'))).toBe(false);
  });
});

describe('a new optimizer', () => {
  it('names what its protocol lacks, and then proposes, learns and ends', async () => {
    const add = () => addPart(userDir, 'optimizer', 'demo_pkg', 'filling');
    await addPart(userDir, 'lab', 'demo_pkg', 'a_lab');
    await addPart(userDir, 'task', 'demo_pkg', 'fill');
    await expect(add()).rejects.toThrow(
      'no protocol "filling" without errors: svc pkg add protocol demo_pkg filling',
    );
    await addPart(userDir, 'protocol', 'demo_pkg', 'filling');
    await expect(add()).rejects.toThrow(
      /write svc_dynamic .* in demo_pkg\/experiments\/filling\/experiment.yml/,
    );
    edit(
      'experiments/filling/experiment.yml',
      'desc: The first step\n',
      'desc: x\n    parameters: { seconds: svc_dynamic }\n',
    );
    edit(
      'tasks/fill/task.yml',
      'type: float\n    unit: s\n    desc: How long it really',
      'type: str\n    desc: How long it really',
    );
    await expect(add()).rejects.toThrow('no task of the protocol filling has a numeric output');
    edit(
      'tasks/fill/task.yml',
      'type: str\n    desc: How long it really',
      'type: float\n    unit: s\n    desc: How long it really',
    );
    expect((await add()).written).toEqual([file('experiments/filling/optimizer.ts')]);
    expect(await errorsOf()).toEqual([]);
    await expect(add()).rejects.toThrow('optimizer.ts exists already');

    const cacheDir = join(folder, 'cache');
    const hash = (await loadPackages({ userDir, cacheDir })).protocol('filling')?.protocol.optimizer?.hash;
    const module = (await import(pathToFileURL(join(cacheDir, 'modules', `${hash}.mjs`)).href)) as {
      svc_create_campaign_optimizer: CreateCampaignOptimizer<object>;
    };
    const [args, Optimizer] = module.svc_create_campaign_optimizer();
    const optimizer = new Optimizer(args);
    expect([optimizer.get_input_names(), optimizer.get_output_names()]).toEqual([
      ['fill.seconds'],
      ['fill.took'],
    ]);
    const rows = [...(await optimizer.sample(2)), ...(await optimizer.sample(3))];
    expect(rows.map((row) => row['fill.seconds'])).toEqual([0, 900, 1800, 2700, 3600]);
    await optimizer.report(rows.slice(0, 2), [{ 'fill.took': 3 }, { 'fill.took': 2 }]);
    expect(await optimizer.get_optimal_solutions()).toEqual([{ 'fill.seconds': 900, 'fill.took': 2 }]);
    expect(optimizer.get_num_samples_reported()).toBe(2);
    expect(() => optimizer.sample(1)).toThrow('0 combinations are left, but 1 are wanted');
  });
});
