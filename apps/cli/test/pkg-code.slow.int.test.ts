import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPackages, type CheckReport } from '../src/pkg/check.js';

/** What `svc pkg check` finds in the code of a package, beyond the types of the compiler. */

let userDir: string;

beforeEach(() => {
  userDir = mkdtempSync(join(tmpdir(), 'svc-code-'));
  put('package.json', '{ "name": "wet_lab", "type": "module" }');
  put('devices/pump/device.yml', 'type: pump\ndesc: Pumps\n');
  put('devices/pump/device.ts', pump);
  put('tasks/fill/task.yml', fillYml);
  put('tasks/fill/task.ts', fill('const { dosed } = await pump.dose({ volume });'));
});
afterEach(() => rmSync(userDir, { recursive: true, force: true }));

const put = (file: string, text: string): void => {
  const path = join(userDir, 'wet_lab', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const check = (): Promise<CheckReport> => checkPackages({ userDir, packageDir: null });
const places = (list: CheckReport['errors']): string[] =>
  list.map(({ file, line, column, code }) => `${file.replace('wet_lab/', '')}:${line}:${column} ${code}`);
const errorsOf = async (): Promise<string[]> => places((await check()).errors);

const pump = `import { BaseDevice, effect, query } from '@lab/sdk';
export default class Pump extends BaseDevice {
  _initialize(): void {}
  _cleanup(): void {}
  _report(): object { return {}; }
  @effect()
  dose({ volume }: { volume: number }): { dosed: number } { return { dosed: volume }; }
  @query()
  level(): number { return 1; }
}
`;
const fillYml = `type: fill
desc: Fills
devices: { pump: { type: pump } }
input_parameters:
  volume: { type: float, unit: ml, desc: How much }
output_parameters:
  dosed: { type: float, unit: ml, desc: How much it was }
`;
/** A task with one line of code at 6:5. */
const fill = (line: string, result = '{ dosed }', type = 'TaskResult'): string =>
  `import { BaseTask, type TaskResult } from '@lab/sdk';
import type Pump from '../../devices/pump/device.js';
type Parameters = { volume: number };
export default class Fill extends BaseTask<{ pump: Pump }, Parameters> {
  async _execute({ pump }: this['devices'], { volume }: Parameters): Promise<${type}> {
    ${line}
    return [${result}, {}, {}];
  }
}
`;

describe('the class that a file exports', () => {
  it('passes when it extends its base through classes of the author', async () => {
    put('handling/rig.ts', pump.replace('export default class Pump', 'export abstract class Rig<_Kind>'));
    put(
      'devices/pump/device.ts',
      `import { effect } from '@lab/sdk';
import { Rig } from '../../handling/rig.js';
export default class Pump extends Rig<string> {
  @effect()
  override dose({ volume }: { volume: number }): { dosed: number } { return { dosed: volume }; }
}
`,
    );
    expect(await errorsOf()).toEqual([]);
  });

  it.each([
    [
      'device',
      'a class without its base',
      'export default class Pump {\n  dose(): void {}\n}\n',
      '1:22 missing_base',
    ],
    ['device', 'no default export', 'export class Pump {}\n', '1:1 missing_class'],
    ['device', 'a function', 'export default function pump(): void {}\n', '1:25 missing_class'],
    [
      'task',
      'a class that only looks like a task',
      `export default class Fill {\n  _execute(): unknown { return [{ dosed: 1 }, {}, {}]; }\n}\n`,
      '1:22 missing_base',
    ],
  ])('is reported for a %s that exports %s', async (kind, _what, text, place) => {
    const file = kind === 'device' ? 'devices/pump/device.ts' : 'tasks/fill/task.ts';
    put(file, text);
    const { errors } = await check();
    expect(places(errors)).toContain(`${file}:${place}`);
    const found = errors.find(({ code }) => code === place.split(' ')[1]);
    expect(found?.hint).toMatch(
      kind === 'device' ? /class (Pump|\.\.\.) extends BaseDevice/ : /class Fill extends BaseTask/,
    );
  });
});

describe('the device calls of a task', () => {
  it.each([
    'const call = pump.dose({ volume }); const { dosed } = await call;',
    'const [{ dosed }] = await Promise.all([pump.dose({ volume }), pump.level()]);',
    'void pump.level(); const { dosed } = await pump.dose({ volume });',
    'const { dosed } = await pump.dose({ volume }).catch(() => ({ dosed: 0 }));',
    'const dose = () => pump.dose({ volume }); const { dosed } = await dose();',
  ])('pass when their result goes somewhere: %s', async (line) => {
    put('tasks/fill/task.ts', fill(line));
    expect(await errorsOf()).toEqual([]);
  });

  it.each([
    ['pump.dose({ volume }); const dosed = 1;', '6:5'],
    ['pump.level().then(() => 1); const dosed = 1;', '6:5'],
    ['const call = pump.dose({ volume }); const dosed = 1;', '6:18'],
    ['[1, 2].forEach(() => pump.level()); const dosed = 1;', '6:26'],
    ['const held = this.devices.pump; held.level(); const dosed = 1;', '6:37'],
  ])('are reported without an await: %s', async (line, place) => {
    put('tasks/fill/task.ts', fill(line));
    expect(await errorsOf()).toEqual([`tasks/fill/task.ts:${place} missing_await`]);
  });
});

describe('the code of a package', () => {
  it('may not call a method that the device does not declare as a function', async () => {
    put('devices/pump/device.ts', pump.replace('  @query()\n', ''));
    put('tasks/fill/task.ts', fill('await pump.level(); const { dosed } = await pump.dose({ volume });'));
    const { errors } = await check();
    expect(places(errors)).toEqual(['tasks/fill/task.ts:6:11 undeclared_function']);
    expect(errors[0]?.hint).toBe('write @effect(), @idempotent() or @query() above level in device.ts');
  });

  it('has one error for a syntax error', async () => {
    put('tasks/fill/task.ts', fill('const { dosed = await pump.dose({ volume });'));
    expect((await errorsOf()).filter((each) => each.startsWith('tasks/fill/task.ts'))).toHaveLength(1);
  });

  it('takes handles of devices, and the error for a class says what to write', async () => {
    const code = fill('const { dosed } = await pump.dose({ volume });');
    put('tasks/fill/task.ts', code.replace("{ pump }: this['devices']", '{ pump }: { pump: Pump }'));
    const { errors } = await check();
    expect(places(errors)).toEqual(['tasks/fill/task.ts:5:9 TS2416']);
    expect(errors[0]?.hint).toBe("write this['devices'] as the type of the first parameter");
  });
});

describe('what a task returns', () => {
  it.each([
    ['a misspelt output, once', '{ dosd: 1 }', ['7:15 unknown_output']],
    ['an output that task.yml does not have', '{ dosed: 1, speed: 2 }', ['7:25 unknown_output']],
    ['an output that is left out', '{}', ['7:13 missing_output']],
    ['an output of another type', "{ dosed: 'much' }", ['7:15 output_type']],
  ])('is compared with task.yml: %s', async (_what, result, expected) => {
    put('tasks/fill/task.ts', fill('await pump.dose({ volume });', result));
    expect(await errorsOf()).toEqual(expected.map((place) => `tasks/fill/task.ts:${place}`));
  });

  it('may come from a variable, from a spread, and from a task that does not use its device', async () => {
    put(
      'tasks/fill/task.ts',
      `import { BaseTask, type TaskResult } from '@lab/sdk';
export default class Fill extends BaseTask<Record<never, never>, { volume: number }> {
  _execute(): TaskResult {
    const outputs: object = { dosed: 1 };
    const known = { dosed: 1 };
    if (Math.random() > 0.5) return [outputs, {}, {}];
    if (Math.random() > 0.5) return [known, {}, {}] satisfies TaskResult;
    return [{ ...known }, {}, {}];
  }
}
`,
    );
    const { errors, warnings } = await check();
    expect(errors).toEqual([]);
    expect(places(warnings)).toEqual(['tasks/fill/task.ts:3:3 unused_handle']);
    expect(warnings[0]?.message).toContain('holds the device "pump" of task.yml and does not use it');
  });

  it('needs a return type, and the error says which one', async () => {
    put(
      'tasks/fill/task.ts',
      fill('').replace(': Promise<TaskResult>', '').replace('{ dosed }', '{ dosed: 1 }'),
    );
    const { errors } = await check();
    expect(places(errors)).toEqual(['tasks/fill/task.ts:5:9 TS2416']);
    expect(errors[0]?.hint).toContain('async _execute(): Promise<TaskResult>');
    expect(errors[0]?.message).not.toContain('\n');
  });
});

describe('files that import each other', () => {
  const useOf = (other: string): string => `export const ${other}Name = (): string => '${other}';\n`;

  it('are reported once, with the whole circle, as a warning if only functions use them', async () => {
    put('handling/a.ts', `import { cName } from './b.js';\nexport const f = (): string => cName();\n`);
    put('handling/b.ts', `export * from './c.js';\n`);
    put('handling/c.ts', `import { f } from './a.js';\nexport const g = (): string => f();\n${useOf('c')}`);
    const { errors, warnings } = await check();
    expect(errors).toEqual([]);
    expect(places(warnings)).toEqual(['handling/a.ts:1:23 import_cycle']);
    expect(warnings[0]?.message).toContain(
      'handling/a.ts -> handling/b.ts -> handling/c.ts -> handling/a.ts',
    );
  });

  it('are an error if one of them needs the other while both are loaded', async () => {
    put('handling/a.ts', `import { B } from './b.js';\nexport class A { make(): B { return new B(); } }\n`);
    put('handling/b.ts', `import { A } from './a.js';\nexport class B extends A {}\n`);
    const { errors } = await check();
    expect(places(errors)).toEqual(['handling/b.ts:1:19 import_cycle_at_load']);
    expect(errors[0]?.message).toContain('"A" is needed while they are loaded');
  });

  it('are not reported if one of them imports only types', async () => {
    put('handling/a.ts', `import { B } from './b.js';\nexport class A { make(): unknown { return B; } }\n`);
    put('handling/b.ts', `import { A } from './a.js';\nexport const B = 1;\nexport type Maker = A;\n`);
    expect(await check()).toMatchObject({ errors: [], warnings: [] });
  });
});

describe('a broken definition', () => {
  it('is listed before what depends on it, and adds no errors of its own types', async () => {
    put(
      'laboratories/a_lab/lab.yml',
      'name: a_lab\ndesc: A\ndevices: { p: { type: pump, computer: svc_computer } }\n',
    );
    put('svc-types.d.ts', 'export {};\n');
    put(
      'tasks/fill/task.ts',
      `import { BaseTask, type TaskResult } from '@lab/sdk';
import type { TaskTypes } from '../../svc-types.js';
type Types = TaskTypes['fill'];
export default class Fill extends BaseTask<Types['devices'], Types['parameters']> {
  async _execute({ pump }: this['devices'], { volume }: this['parameters']): Promise<TaskResult> {
    return [await pump.dose({ volume }), {}, {}];
  }
}
`,
    );
    expect(await check()).toMatchObject({ errors: [], warnings: [{ code: 'stale_types' }] });
    put('tasks/fill/task.yml', fillYml.replace('pump: { type: pump }', 'pump: { type: pumpe }'));
    put('devices/pump/device.yml', 'type: pump\n');
    const { errors, warnings } = await check();
    expect(places(errors).map((each) => each.replace(/:\d+/g, ''))).toEqual([
      'devices/pump/device.yml missing_key',
      'laboratories/a_lab/lab.yml depends_on_broken',
    ]);
    expect(places(warnings)).toEqual(['tasks/fill/task.yml:3:26 unknown_device_type']);
  });
});

describe('a task type whose device type no package defines', () => {
  it('is a warning, also if its code uses the generated types of its handles', async () => {
    put('tasks/look/task.yml', 'type: look\ndesc: Looks\ndevices: { eye: { type: camera } }\n');
    put(
      'tasks/look/task.ts',
      `import { BaseTask, type TaskResult } from '@lab/sdk';
import type { TaskTypes } from '../../svc-types.js';
export default class Look extends BaseTask<TaskTypes['look']['devices']> {
  async _execute({ eye }: this['devices']): Promise<TaskResult> {
    await eye.expose({ seconds: 1 });
    return [{}, {}, {}];
  }
}
`,
    );
    const { errors, warnings } = await check();
    expect(errors).toEqual([]);
    expect(places(warnings)).toEqual(['tasks/look/task.yml:3:25 unknown_device_type']);
  });

  it('has no warning in the check of another package', async () => {
    put('tasks/look/task.yml', 'type: look\ndesc: Looks\ndevices: { eye: { type: camera } }\n');
    put('../other/laboratories/other/lab.yml', 'name: other\ndesc: Empty\ndevices: {}\n');
    const { warnings } = await checkPackages({ userDir, packageDir: join(userDir, 'other') });
    expect(warnings).toEqual([]);
  });
});

describe('the names in an optimizer', () => {
  const optimizer = (input: string, output: string, more = ''): string => `import {
  BayesianSequentialOptimizer, continuousInput, continuousOutput, minimize, type BayesianArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';
const args: BayesianArguments = {
  inputs: [continuousInput('${input}', [0, 5])],
  outputs: [continuousOutput('${output}', minimize())],
};
${more}
export const svc_create_campaign_optimizer: CreateCampaignOptimizer<BayesianArguments> = () => [args, BayesianSequentialOptimizer];
`;
  const file = 'experiments/filling/optimizer.ts';
  beforeEach(() => {
    put(
      'laboratories/a_lab/lab.yml',
      'name: a_lab\ndesc: A\ndevices: { p: { type: pump, computer: svc_computer } }\n',
    );
    put(
      'experiments/filling/experiment.yml',
      `type: filling
desc: Fills
labs: [a_lab]
tasks:
  - name: first
    type: fill
    devices: { pump: { lab_name: a_lab, name: p } }
    parameters: { volume: svc_dynamic }
  - name: second
    type: fill
    devices: { pump: { lab_name: a_lab, name: p } }
    parameters: { volume: 3 }
`,
    );
  });

  it.each([
    ['first.volume', 'second.dosed', []],
    ['first.volum', 'first.dosed', ['6:28 unknown_input']],
    ['second.volume', 'first.dosed', ['6:28 unknown_input']],
    ['first.volume', 'third.dosed', ['7:30 unknown_output']],
  ])('%s and %s are compared with the protocol', async (input, output, expected) => {
    put(file, optimizer(input, output));
    expect(await errorsOf()).toEqual(expected.map((place) => `${file}:${place}`));
  });

  it('stand beside bounds and values, which are compared with the parameter as far as the compiler knows them', async () => {
    put(
      'tasks/fill/task.yml',
      fillYml.replace(
        'desc: How much }\n',
        `desc: How much, min: 0, max: 10 }
  times: { type: int, unit: n/a, desc: How often, value: 1 }
  mode: { type: choice, choices: [slow, fast], desc: How, value: slow }
  options: { type: dict, desc: More, value: {} }
`,
      ),
    );
    const protocol = 'experiments/filling/experiment.yml';
    const text = readFileSync(join(userDir, 'wet_lab', protocol), 'utf8');
    const all = '{ volume: svc_dynamic, times: svc_dynamic, mode: svc_dynamic, options: svc_dynamic }';
    put(protocol, text.replace('{ volume: svc_dynamic }', all));
    const inputs: [declared: string, column: string | null, code?: string][] = [
      [`continuousInput('first.volume', [0.5, 5])`, null],
      [`continuousInput('first.volume', [0.5, 50])`, '[0.5', 'bounds'],
      [`continuousInput('first.volume', [-5, 5])`, '[-5', 'bounds'],
      [`continuousInput('first.volume', [1, most])`, '[1', 'bounds'],
      [`continuousInput('first.volume', [1, Number('50')])`, null],
      [`continuousInput('first.volume', range)`, null],
      [`continuousInput('first.times', [1, 5], { step: 2 })`, null],
      [`continuousInput('first.times', [1, 5], { step: 0.5 })`, '0.5', 'step'],
      [`continuousInput('first.mode', [1, 5])`, '[1', 'type'],
      [`discreteInput('first.volume', [1, 2, 50])`, '50', 'above_max'],
      [`discreteInput('first.times', [1, 2.5])`, '2.5', 'type'],
      [`categoricalInput('first.mode', ['slow', 'last'])`, `'last'`, 'not_a_choice'],
      [`categoricalInput('first.options', ['a'])`, `'first.options'`, 'type'],
    ];
    const head = `import {
  BayesianSequentialOptimizer, categoricalInput, continuousInput, continuousOutput, discreteInput, minimize,
  type BayesianArguments,
} from '@lab/optimization';
import type { CreateCampaignOptimizer } from '@lab/sdk';
const most = 50;
const range: [number, number] = [0, 5];
range[1] = 50;
const args: BayesianArguments = { inputs: [], outputs: [continuousOutput('first.dosed', minimize())] };
export const svc_create_campaign_optimizer: CreateCampaignOptimizer<BayesianArguments> = () => [args, BayesianSequentialOptimizer];
export const inputs = [
`;
    put(file, `${head}${inputs.map(([declared]) => `${declared},\n`).join('')}];\n`);
    const expected = inputs.flatMap(([declared, at, code], index) =>
      at === null ? [] : [`${file}:${head.split('\n').length + index}:${declared.indexOf(at) + 1} ${code}`],
    );
    const errors = (await check()).errors.filter((each) => each.file.endsWith(file));
    expect(places(errors)).toEqual(expected);
    expect(errors[0]).toMatchObject({
      message: '[0.5, 50] is not within the limits of first.volume: from 0 to 10',
      hint: 'use [0.5, 10]',
    });
  });

  it('tell how to open an input, and texts that look like a name are warned about', async () => {
    put(file, optimizer('second.volume', 'first.dosed', `export const names = ['first.dose', 'data.csv'];`));
    const { errors, warnings } = await check();
    expect(errors[0]?.hint).toBe('write volume: svc_dynamic in experiment.yml');
    expect(warnings.map(({ line, code, hint }) => [line, code, hint])).toEqual([
      [9, 'doubtful_name', 'did you mean "first.dosed"?'],
    ]);
  });
});
