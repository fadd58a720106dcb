import type { JsonValue } from '@lab/contracts';
import { className } from './package-types.js';

/** The files that `svc pkg create` and `svc pkg add` write. */

/** The text of each file, by its path relative to the package folder, with forward slashes. */
export type Files = Record<string, string>;

/** Options of the compiler for the code of packages, which runs in Node: it has no types of a browser. */
export const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023'],
  module: 'NodeNext',
  strict: true,
  noEmit: true,
  types: ['node'],
};

export function packageFiles(name: string): Files {
  const manifest = {
    name: name.toLowerCase(),
    version: '0.1.0',
    private: true,
    type: 'module',
    dependencies: { '@lab/sdk': '*' },
  };
  return {
    'package.json': jsonText(manifest),
    'tsconfig.json': jsonText({ compilerOptions, include: ['**/*.ts'] }),
    '.gitignore': 'node_modules/\n',
  };
}

export function labFiles(name: string, deviceTypes: readonly string[]): Files {
  const devices = deviceTypes.map((type) => deviceEntry(`${type}_1`, type, '  ')).join('');
  const text = `name: ${name}\ndesc: What this lab is for\ndevices:${devices === '' ? ' {}' : ''}\n${devices}`;
  return { [`laboratories/${name}/lab.yml`]: text };
}

/** A device in the `devices` of a `lab.yml`. @param initParameters lines */
export function deviceEntry(
  name: string,
  type: string,
  indent: string,
  initParameters: readonly string[] = [],
): string {
  const lines = [
    `${name}:`,
    `${indent}desc: Which one it is`,
    `${indent}type: ${type}`,
    `${indent}computer: svc_computer`,
    ...(initParameters.length === 0 ? [] : [`${indent}init_parameters:`]),
    ...initParameters.map((line) => `${indent}${indent}${line}`),
  ];
  return lines.map((line) => `${indent}${line}\n`).join('');
}

export function deviceFiles(type: string): Files {
  return {
    [`devices/${type}/device.yml`]: `type: ${type}\ndesc: What kind of instrument it is\ninit_parameters:\n  port: simulated\n`,
    [`devices/${type}/device.ts`]: `import { BaseDevice, effect, query } from '@lab/sdk';

interface InitParameters {
  port: string;
}

export default class ${ownClass(type, 'Device')} extends BaseDevice<InitParameters> {
  private port = '';
  private runs = 0;

  async _initialize({ port }: InitParameters): Promise<void> {
    this.port = port;
    this.runs = 0;
    this.log.info(\`\${this.name} is on \${port}\`);
  }

  async _cleanup(): Promise<void> {
    this.log.info(\`\${this.name} is at rest\`);
  }

  async _report(): Promise<object> {
    return { port: this.port, runs: this.runs };
  }

  // override async _stop(reason: string): Promise<void>: stops the instrument safely at once, beside whatever runs.
  // override async _reconcile(parameters: InitParameters): Promise<Reconciliation>: tells whether it is idle, after a crash.

  @effect()
  async run(): Promise<{ runs: number }> {
    this.runs += 1;
    return { runs: this.runs };
  }

  @query()
  status(): { runs: number } {
    return { runs: this.runs };
  }
}
`,
  };
}

/** A device type that a task uses, and the module that exports its class, relative to `task.ts`. */
export interface UsedDevice {
  type: string;
  module: string;
}

/** The handle under which a new task gets a device of a type. */
export function handleOf(type: string): string {
  return type.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[^A-Za-z_])/, '_');
}

/** The `task.yml` of a new task. @param used the device type that the task uses; null: none */
export function taskDefinition(type: string, used: UsedDevice | null): string {
  const devices = used === null ? '' : `devices:\n  ${handleOf(used.type)}:\n    type: ${used.type}\n`;
  return `type: ${type}
desc: What it does
${devices}input_parameters:
  seconds:
    type: float
    unit: s
    desc: How long it takes
    min: 0
    max: 3600
    value: 0.1
output_parameters:
  summary:
    type: str
    desc: What was done
  took:
    type: float
    unit: s
    desc: How long it really took
`;
}

/** @param used the device type that the task uses; null: none */
export function taskFiles(type: string, used: UsedDevice | null): Files {
  const handle = used === null ? '' : handleOf(used.type);
  const device = used === null ? '' : ownClass(used.type, 'Device');
  const wait = 'await pause(1000 * seconds, undefined, { signal: this.signal });';
  const imported = used === null ? '' : `import type ${device} from '${used.module}';\n`;
  const given = used === null ? 'Record<never, never>' : `{ ${handle}: ${device} }`;
  const summary =
    used === null
      ? '`worked for ${seconds} s`'
      : `\`worked with \${devices.${handle}.name} for \${seconds} s\``;
  return {
    [`tasks/${type}/task.yml`]: taskDefinition(type, used),
    [`tasks/${type}/task.ts`]: `import { setTimeout as pause } from 'node:timers/promises';
import { BaseTask, type TaskResult } from '@lab/sdk';
${imported}
interface Parameters {
  seconds: number;
}

export default class ${ownClass(type, 'Task')} extends BaseTask<${given}, Parameters> {
  async _execute(
    ${used === null ? '_devices' : 'devices'}: this['devices'],
    { seconds }: Parameters,
  ): Promise<TaskResult<{ summary: string; took: number }>> {
    const start = performance.now();
    ${wait}
    const took = (performance.now() - start) / 1000;
    return [{ summary: ${summary}, took }, {}, {}];
  }
}
`,
  };
}

export interface ProtocolParts {
  lab: string;
  task: string;
  /** The device of the lab, by handle of the task. */
  devices: Record<string, string>;
  /** The type of each input resource of the task. */
  resources: Record<string, string>;
  /** Input parameters without a default. */
  parameters: readonly string[];
}

export function protocolFiles(type: string, parts: ProtocolParts): Files {
  const lines = (title: string, entries: string[]): string =>
    entries.length === 0 ? '' : `    ${title}:\n${entries.map((entry) => `      ${entry}\n`).join('')}`;
  const devices = Object.entries(parts.devices).map(
    ([handle, name]) => `${handle}: { lab_name: ${parts.lab}, name: ${name} }`,
  );
  const resources = Object.entries(parts.resources).map(
    ([name, of]) => `${name}: { allocation_type: dynamic, resource_type: ${of} }`,
  );
  const parameters = parts.parameters.map((name) => `${name}: svc_dynamic`);
  return {
    [`experiments/${type}/experiment.yml`]: `type: ${type}
desc: What it finds out
labs: [${parts.lab}]
tasks:
  - name: ${parts.task}
    type: ${parts.task}
    desc: The first step
${lines('devices', devices)}${lines('resources', resources)}${lines('parameters', parameters)}`,
  };
}

export interface OptimizerParts {
  /** The folder of the protocol, relative to the package. */
  folder: string;
  /** The values to try, by input name. */
  values: Record<string, readonly JsonValue[]>;
  /** The output name. */
  output: string;
}

/** An optimizer that tries every combination of some values once. */
export function optimizerFiles(type: string, { folder, values, output }: OptimizerParts): Files {
  const lines = Object.entries(values).map(([name, all]) => `    '${name}': ${listText(all)},\n`);
  return {
    [`${folder}/optimizer.ts`]: `import { AbstractSequentialOptimizer, type CreateCampaignOptimizer, type Row, type Table } from '@lab/sdk';

interface Arguments {
  /** The values to try, by TASK.PARAMETER. */
  values: Record<string, (number | string | boolean)[]>;
  /** What is minimized. */
  output: string;
}

/** Tries every combination of the values once. */
export class ${className(type)}Optimizer extends AbstractSequentialOptimizer {
  private readonly proposed = new Set<string>();
  private readonly measured: Row[] = [];

  constructor(private readonly args: Arguments) {
    super();
  }

  sample(num_protocol_runs: number): Table {
    const free = this.combinations().filter((row) => !this.proposed.has(this.keyOf(row)));
    if (free.length < num_protocol_runs) {
      throw new Error(\`\${free.length} combinations are left, but \${num_protocol_runs} are wanted\`);
    }
    const rows = free.slice(0, num_protocol_runs);
    this.report_started(rows);
    return rows;
  }

  override report_started(inputs_df: Table): void {
    for (const row of inputs_df) this.proposed.add(this.keyOf(row));
  }

  report(inputs_df: Table, outputs_df: Table<number>): void {
    this.report_started(inputs_df);
    this.measured.push(...inputs_df.map((row, i) => ({ ...row, ...outputs_df[i] })));
  }

  get_optimal_solutions(): Table {
    const { output } = this.args;
    const best = Math.min(...this.measured.map((row) => Number(row[output])));
    return this.measured.filter((row) => row[output] === best);
  }

  get_input_names(): string[] {
    return Object.keys(this.args.values);
  }

  get_output_names(): string[] {
    return [this.args.output];
  }

  get_num_samples_reported(): number {
    return this.measured.length;
  }

  private combinations(): Table {
    return Object.entries(this.args.values).reduce<Table>(
      (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
      [{}],
    );
  }

  private keyOf(row: Row): string {
    return JSON.stringify(this.get_input_names().map((name) => row[name]));
  }
}

const args: Arguments = {
  values: {
${lines.join('')}  },
  output: '${output}',
};

export const svc_create_campaign_optimizer: CreateCampaignOptimizer<Arguments> = () => [args, ${className(type)}Optimizer];
`,
  };
}

function listText(values: readonly JsonValue[]): string {
  const texts = values.map((value) =>
    typeof value === 'string'
      ? `'${JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'")}'`
      : String(value),
  );
  return `[${texts.join(', ')}]`;
}

/** JSON with each list of one element on one line. */
export function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2).replace(/\[\n\s+("[^"\n]*")\n\s+\]/g, '[$1]')}\n`;
}

/** A class name that the SDK and JavaScript do not use. */
export function ownClass(type: string, suffix: 'Device' | 'Task' | 'Optimizer'): string {
  const name = className(type);
  return name === 'Base' ? `Own${suffix}` : `${name}${suffix}`;
}
