import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPackages, packageFolders, readCatalog } from '../src/pkg/check.js';
import { packageTypes } from '../src/pkg/package-types.js';
import { addPart, createPackage } from '../src/pkg/scaffold.js';

let userDir: string;

beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'svc-pkg-'));
});
afterEach(() => rmSync(userDir, { recursive: true, force: true }));

const put = (file: string, text: string): void => {
  mkdirSync(dirname(join(userDir, file)), { recursive: true });
  writeFileSync(join(userDir, file), text);
};

/** Code and place of each error. */
async function errorsOf(packageName: string | null = null): Promise<string[]> {
  const packageDir = packageName === null ? null : join(userDir, packageName);
  const { errors } = await checkPackages({ userDir, packageDir });
  return errors.map(({ file, line, column, code }) => `${file}:${line}:${column} ${code}`);
}

const taskYml = `type: fill
desc: Fills
devices:
  pump: { type: pump }
input_parameters:
  volume: { type: float, unit: ml, desc: How much }
  mode: { type: choice, choices: [slow, fast], desc: How, value: slow }
  options: { type: dict, desc: More, value: {} }
input_resources:
  beaker: { type: beaker }
`;

const task = (devices: string, parameters: string, resources: string): string =>
  `import { BaseTask, type Resource, type TaskResult } from '@lab/sdk';
import type Pump from '../../devices/pump/device.js';
type Used = { devices: ${devices} };
type Parameters = ${parameters};
type Resources = ${resources};
export default class Fill extends BaseTask<Used['devices'], Parameters, Resources> {
  async _execute(_devices: this['devices'], _parameters: Parameters, _resources: Resources): Promise<TaskResult> {
    return [{}, {}, {}];
  }
}
export type Mentioned = [Pump, Resource];
`;

const right = {
  devices: '{ pump: Pump }',
  parameters: `{ volume: number; mode: 'slow' | 'fast'; options: { depth?: number } }`,
  resources: '{ beaker: Resource<{ volume: number }> }',
};

function putLab(taskText: string): void {
  put('wet_lab/package.json', '{ "name": "wet_lab", "type": "module" }');
  put('wet_lab/devices/pump/device.yml', 'type: pump\ndesc: Pumps\ninit_parameters: { port: usb }\n');
  put(
    'wet_lab/devices/pump/device.ts',
    `import { BaseDevice, effect } from '@lab/sdk';
export default class Pump extends BaseDevice<{ port: string }> {
  _initialize(): void {}
  _cleanup(): void {}
  _report(): object {
    return {};
  }
  @effect()
  dose({ volume }: { volume: number }): { dosed: number } {
    return { dosed: volume };
  }
}
`,
  );
  put('wet_lab/tasks/fill/task.yml', taskYml);
  put('wet_lab/tasks/fill/task.ts', taskText);
}

const taskFile = 'wet_lab/tasks/fill/task.ts';

describe('the comparison of task code with task.yml', () => {
  it('passes when names and types agree, without tsconfig.json or node_modules in the package', async () => {
    putLab(task(right.devices, right.parameters, right.resources));
    expect(await errorsOf()).toEqual([]);
  });

  it('passes when the code takes a handle with ? that task.yml does not declare', async () => {
    putLab(task('{ pump: Pump; way?: Pump }', right.parameters, right.resources));
    expect(await errorsOf()).toEqual([]);
  });

  const wrong: [string, Partial<typeof right>, string[]][] = [
    [
      'a handle that task.yml does not have',
      { devices: '{ pump: Pump; valve: Pump }' },
      ['3:38 unknown_handle'],
    ],
    ['a misspelt handle, once', { devices: '{ pumpe: Pump }' }, ['3:26 unknown_handle']],
    [
      'a handle of another type of device',
      { devices: '{ pump: Stirrer }; }; class Stirrer extends Pump { stir(): void {} ' },
      ['3:26 handle_type'],
    ],
    [
      'a parameter that it does not know',
      { parameters: `{ volume: number; mode: string }` },
      ['7:45 missing_parameter'],
    ],
    [
      'a misspelt parameter, once',
      { parameters: '{ volum: number; mode: string; options: object }' },
      ['4:21 unknown_parameter'],
    ],
    [
      'a parameter of another type',
      { parameters: '{ volume: string; mode: string; options: object }' },
      ['4:21 parameter_type'],
    ],
    [
      'a choice that it does not expect',
      { parameters: `{ volume: number; mode: 'slow'; options: object }` },
      ['4:37 parameter_type'],
    ],
    [
      'a dict taken as a list',
      { parameters: '{ volume: number; mode: string; options: number[] }' },
      ['4:51 parameter_type'],
    ],
    [
      'a resource that task.yml does not have',
      { resources: '{ beaker: Resource; tray: Resource }' },
      ['5:38 unknown_resource'],
    ],
    ['a resource that it does not know', { resources: '{}' }, ['7:70 missing_resource']],
  ];
  it.each(wrong)('finds %s', async (_what, change, places) => {
    const { devices, parameters, resources } = { ...right, ...change };
    putLab(task(devices, parameters, resources));
    const expected = places.map((place) => `${taskFile}:${place}`);
    expect((await errorsOf()).filter((error) => !/ TS/.test(error))).toEqual(expected);
  });

  it.each<[string, string, string[]]>([
    ['passes with those of task.yml', '{ raw: InputFile; log?: InputFile }', []],
    ['finds one that may be left out', '{ raw: InputFile; log: InputFile }', ['2:32 file_type']],
    [
      'finds names and types that differ',
      '{ raw: InputFile & { text: string }; row: InputFile }',
      ['2:16 file_type', '2:51 unknown_file', '5:3 missing_file'],
    ],
  ])('compares the types of files of other tasks: it %s', async (_what, files, places) => {
    putLab('');
    put(
      'wet_lab/tasks/fill/task.yml',
      'type: fill\ndesc: Fills\ninput_files:\n  raw: { desc: Numbers }\n  log: { desc: Lines, required: false }\n',
    );
    put(
      taskFile,
      `import { BaseTask, type InputFile, type Resource, type TaskResult } from '@lab/sdk';
type Files = ${files};
type No = Record<never, never>;
export default class Fill extends BaseTask<No, No, Record<string, Resource>, Files> {
  _execute(): TaskResult { return [{}, {}, {}]; }
}
`,
    );
    const expected = places.map((place) => `${taskFile}:${place}`);
    expect((await errorsOf()).filter((error) => !/ TS/.test(error))).toEqual(expected);
    const types = packageTypes(await readCatalog(userDir), 'wet_lab', 'wet_lab');
    expect(types).toContain(
      '      /** Numbers */\n      raw: InputFile;\n      /** Lines */\n      log?: InputFile;',
    );
  });

  it('finds code without a task', async () => {
    putLab('export const fill = 1;\n');
    expect(await errorsOf()).toEqual([`${taskFile}:1:1 missing_class`]);
    putLab('export default class Fill {}\n');
    expect(await errorsOf()).toEqual([`${taskFile}:1:22 missing_base`]);
  });
});

describe('the check of an optimizer', () => {
  const optimizerFile = 'wet_lab/experiments/filling/optimizer.ts';
  const putOptimizer = (text: string): void => {
    putLab(task(right.devices, right.parameters, right.resources));
    put(
      'wet_lab/tasks/fill/task.yml',
      `${taskYml}output_parameters:\n  loss: { type: float, unit: n/a, desc: Distance, value: 0 }\n`,
    );
    put('wet_lab/laboratories/wet/lab.yml', wetLab);
    put('wet_lab/experiments/filling/experiment.yml', fillingYml);
    put(optimizerFile, text);
  };
  const wetLab = `name: wet
desc: Wet
devices:
  pump_1: { type: pump, computer: svc_computer }
resource_types: { beaker: }
resources:
  beaker_1: { type: beaker }
`;
  const fillingYml = `type: filling
desc: Fills
labs: [wet]
tasks:
  - name: fill
    type: fill
    devices: { pump: { lab_name: wet, name: pump_1 } }
    resources: { beaker: { name: beaker_1 } }
    parameters: { volume: svc_dynamic }
`;
  const head = `import {
  BayesianSequentialOptimizer, continuousInput, continuousOutput, minimize, type BayesianArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';
const args: BayesianArguments = {
  inputs: [continuousInput('fill.volume', [0, 5])],
  outputs: [continuousOutput('fill.loss', minimize())],
};
`;
  const factory = 'export const svc_create_campaign_optimizer';

  it('finds nothing when the factory creates the built-in optimizer', async () => {
    putOptimizer(
      `${head}${factory}: CreateCampaignOptimizer<BayesianArguments> = () => [args, BayesianSequentialOptimizer];\n`,
    );
    expect(await errorsOf()).toEqual([]);
  });

  it.each([
    [
      'an argument of a wrong type',
      `${factory}: CreateCampaignOptimizer<BayesianArguments> = () => [{ ...args, seed: [] }, BayesianSequentialOptimizer];`,
      ['9:108 TS2322'],
    ],
    ['no function', `${factory} = [args, BayesianSequentialOptimizer];`, ['9:14 optimizer_type']],
    ['arguments alone', `${factory} = () => args;`, ['9:14 optimizer_type']],
    [
      'a class that is none of an optimizer',
      `${factory} = () => [args, Map] as const;`,
      ['9:14 optimizer_type'],
    ],
    [
      'a function that wants something',
      `${factory} = (n: number) => [args, Map] as const;`,
      ['9:14 optimizer_type'],
    ],
    ['no factory', 'export { args };', ['null:null missing_export']],
  ])('reports %s', async (_, line, places) => {
    putOptimizer(`${head}${line}\n`);
    expect(await errorsOf()).toEqual(places.map((place) => `${optimizerFile}:${place}`));
  });
});

describe('one pass', () => {
  it('finds errors of definitions, of types and of tasks together, in the order of files and lines', async () => {
    putLab(
      `${task('{ pumpe: Pump }', right.parameters, right.resources)}export const volume: number = 'much';\n`,
    );
    put('wet_lab/handling/tray.ts', "export { none } from './none.js';\n");
    put(
      'wet_lab/laboratories/wet/lab.yml',
      'name: wet\ndesc: Wet\ndevices:\n  p: { type: pumpp, computer: pc }\n',
    );
    expect(await errorsOf()).toEqual([
      'wet_lab/handling/tray.ts:1:22 TS2307',
      'wet_lab/laboratories/wet/lab.yml:4:14 unknown_device_type',
      'wet_lab/laboratories/wet/lab.yml:4:31 unknown_computer',
      `${taskFile}:3:26 unknown_handle`,
      `${taskFile}:12:14 TS2322`,
    ]);
  });

  it('of one package finds its siblings and reports nothing about them', async () => {
    putLab(task(right.devices, right.parameters, right.resources));
    put('other/package.json', '{ "name": "other" }');
    put(
      'other/laboratories/other/lab.yml',
      'name: other\ndesc: Uses the pump of the sibling\ndevices:\n  p: { type: pump, computer: svc_computer }\n',
    );
    put('wet_lab/laboratories/wet/lab.yml', 'name: wet\n');
    expect(await errorsOf('other')).toEqual([]);
    expect(await errorsOf('wet_lab')).not.toEqual([]);
  });

  it('knows no name that only a browser has', async () => {
    putLab(`${task(right.devices, right.parameters, right.resources)}console.log(fetch, status);\n`);
    expect(await errorsOf()).toEqual([`${taskFile}:12:20 TS2304`]);
  });

  it('follows tsconfig.json and reports its errors', async () => {
    putLab(`${task(right.devices, right.parameters, right.resources)}function idle(): void {}\n`);
    expect(await errorsOf()).toEqual([]);
    const config = { target: 'ES2023', module: 'NodeNext', strict: true, noUnusedLocals: true };
    put('wet_lab/tsconfig.json', JSON.stringify({ compilerOptions: config }));
    expect(await errorsOf()).toEqual([`${taskFile}:12:10 TS6133`]);
    put('wet_lab/tsconfig.json', JSON.stringify({ compilerOptions: { ...config, strickt: true } }));
    expect(await errorsOf()).toContain('wet_lab/tsconfig.json:1:95 TS5025');
  });
});

describe('generated types', () => {
  it('fit a task that uses them, are the same each time and are reported when stale', async () => {
    putLab(
      `import { BaseTask, type TaskResult } from '@lab/sdk';
import type { TaskTypes } from '../../svc-types.js';
type Types = TaskTypes['fill'];
export default class Fill extends BaseTask<Types['devices'], Types['parameters'], Types['resources']> {
  async _execute({ pump }: this['devices'], { volume }: this['parameters']): Promise<TaskResult> {
    await pump.dose({ volume });
    return [{}, {}, {}];
  }
}
`,
    );
    const generate = async (): Promise<string> =>
      packageTypes(await readCatalog(userDir), 'wet_lab', 'wet_lab');
    const text = await generate();
    put('wet_lab/svc-types.d.ts', text);
    expect(await generate()).toBe(text);
    expect(await checkPackages({ userDir, packageDir: null })).toMatchObject({ errors: [], warnings: [] });
    put('wet_lab/tasks/fill/task.yml', taskYml.replace('float, unit: ml', 'str'));
    const stale = await checkPackages({ userDir, packageDir: null });
    expect(stale.warnings.map(({ file, code }) => `${file} ${code}`)).toEqual([
      'wet_lab/svc-types.d.ts stale_types',
    ]);
    expect(stale.errors.map(({ file, line, code }) => `${file}:${line} ${code}`)).toEqual([
      `${taskFile}:6 TS2322`,
    ]);
  });
});

describe('the packages of the product', () => {
  it('have no errors', async () => {
    cpSync(new URL('../../../lab-packages', import.meta.url), userDir, {
      recursive: true,
      filter: (path) => !/[\\/](node_modules|dist)$|\.(test|fixture)\.ts$|tsconfig\.json$/.test(path),
    });
    expect(await errorsOf()).toEqual([]);
  });
});

describe('the scaffold of a package', () => {
  const orders: [string, string][][] = [
    [
      ['lab', 'a_lab'],
      ['device', 'pump'],
      ['task', 'fill'],
      ['protocol', 'filling'],
    ],
    [
      ['device', 'pump'],
      ['lab', 'a_lab'],
      ['task', 'fill'],
      ['protocol', 'filling'],
    ],
    [
      ['task', 'fill'],
      ['device', 'pump'],
      ['lab', 'a_lab'],
      ['protocol', 'filling'],
    ],
    [
      ['task', 'fill'],
      ['lab', 'a_lab'],
      ['protocol', 'filling'],
      ['device', 'pump'],
    ],
    [
      ['device', 'base'],
      ['task', 'base'],
      ['lab', 'base'],
      ['protocol', 'base'],
      ['device', 'valve'],
      ['task', 'x'],
    ],
  ];
  it.each(orders.map((order) => [order.map(([kind]) => kind).join(', '), order] as const))(
    'passes the check after each step: %s',
    async (_text, order) => {
      await createPackage(userDir, 'demo_pkg');
      for (const [kind, name] of order) {
        await addPart(userDir, kind as 'lab', 'demo_pkg', name);
        expect(await errorsOf('demo_pkg')).toEqual([]);
      }
      const catalog = await readCatalog(userDir);
      expect(catalog.origins.every(({ sound }) => sound)).toBe(true);
      expect(packageFolders(catalog).get('demo_pkg')).toBe('demo_pkg');
    },
  );

  it('reminds the author of a device of safe stop and reconciliation, as overrides that pass the check', async () => {
    await createPackage(userDir, 'demo_pkg');
    await addPart(userDir, 'device', 'demo_pkg', 'pump');
    const path = join(userDir, 'demo_pkg/devices/pump/device.ts');
    const text = readFileSync(path, 'utf8');
    const hooks = [...text.matchAll(/^ {2}\/\/ (override async (_\w+)\(.*\): Promise<(\w+)>): \S.*$/gm)];
    expect(hooks.map(([, , name]) => name)).toEqual(['_stop', '_reconcile']);
    const bodies = { void: '{}', Reconciliation: '{ return { idle: true }; }' };
    const written = hooks.reduce(
      (code, [line, head, , type]) => code.replace(line, `  ${head} ${bodies[type as 'void']}`),
      text.replace('BaseDevice, effect', 'BaseDevice, type Reconciliation, effect'),
    );
    writeFileSync(path, written);
    expect(await errorsOf('demo_pkg')).toEqual([]);
  });

  it('never overwrites an existing name or file', async () => {
    await createPackage(userDir, 'demo_pkg');
    await expect(createPackage(userDir, 'demo_pkg')).rejects.toThrow('demo_pkg exists already');
    await addPart(userDir, 'device', 'demo_pkg', 'pump');
    await expect(addPart(userDir, 'device', 'demo_pkg', 'pump')).rejects.toThrow(
      'there is a device "pump" already',
    );
    put('demo_pkg/tasks/fill/task.ts', '// mine\n');
    await expect(addPart(userDir, 'task', 'demo_pkg', 'fill')).rejects.toThrow('fill/task.ts exists already');
    expect(readFileSync(join(userDir, 'demo_pkg/tasks/fill/task.ts'), 'utf8')).toBe('// mine\n');
  });

  it.each(['', 'a-b', '1st', '../x', 'a/b', 'constructor', 'é'])('refuses the name "%s"', async (name) => {
    await expect(createPackage(userDir, name)).rejects.toThrow('use letters, digits and underscores');
  });

  it('names a missing package, and definitions that a protocol needs', async () => {
    await expect(addPart(userDir, 'lab', 'demo_pkg', 'a_lab')).rejects.toThrow('svc pkg create demo_pkg');
    await createPackage(userDir, 'demo_pkg');
    await expect(addPart(userDir, 'protocol', 'demo_pkg', 'p')).rejects.toThrow(
      'a protocol needs a lab, and the package has none without errors: svc pkg add lab demo_pkg my_lab',
    );
  });
});

describe('package.json', () => {
  it('is checked for npm packages that agents install, and the error names the line', async () => {
    putLab(task(right.devices, right.parameters, right.resources));
    put(
      'wet_lab/package.json',
      '{\n  "name": "wet_lab",\n  "dependencies": { "usb": "^2.0.0" },\n  "svc": { "external": ["usb"] }\n}\n',
    );
    expect(await errorsOf()).toEqual(['wet_lab/package.json:3:28 inexact_version']);
    expect(await errorsOf('wet_lab')).toEqual(['wet_lab/package.json:3:28 inexact_version']);
  });
});
