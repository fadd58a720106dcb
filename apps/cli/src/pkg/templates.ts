import { className } from './package-types.js';

/** The files that `svc pkg create` and `svc pkg add` write. */

/** The text of each file, by its path relative to the package folder, with forward slashes. */
export type Files = Record<string, string>;

/** @param compilerOptions further options with which an editor finds the types of the product */
export function packageFiles(name: string, compilerOptions: Record<string, unknown>): Files {
  const manifest = {
    name: name.toLowerCase(),
    version: '0.1.0',
    private: true,
    type: 'module',
    dependencies: { '@lab/sdk': '*' },
  };
  const options = {
    target: 'ES2023',
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    types: ['node'],
    ...compilerOptions,
  };
  return {
    'package.json': jsonText(manifest),
    'tsconfig.json': jsonText({ compilerOptions: options, include: ['**/*.ts'] }),
  };
}

export function labFiles(name: string, deviceTypes: readonly string[]): Files {
  const devices = deviceTypes.map((type) => deviceEntry(`${type}_1`, type, '  ')).join('');
  const text = `name: ${name}\ndesc: What this lab is for\ndevices:${devices === '' ? ' {}' : ''}\n${devices}`;
  return { [`laboratories/${name}/lab.yml`]: text };
}

/** A device in the `devices` of a `lab.yml`. */
export function deviceEntry(name: string, type: string, indent: string): string {
  const lines = [
    `${name}:`,
    `${indent}desc: Which one it is`,
    `${indent}type: ${type}`,
    `${indent}computer: svc_computer`,
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

/** @param deviceType the device type that the task uses; null: none */
export function taskFiles(type: string, deviceType: string | null): Files {
  const handle = deviceType?.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[^A-Za-z_])/, '_') ?? '';
  const device = deviceType === null ? '' : ownClass(deviceType, 'Device');
  const wait = 'await pause(1000 * seconds, undefined, { signal: this.signal });';
  const devices = deviceType === null ? '' : `devices:\n  ${handle}:\n    type: ${deviceType}\n`;
  const imported =
    deviceType === null ? '' : `import type ${device} from '../../devices/${deviceType}/device.js';\n`;
  const given = deviceType === null ? 'Record<never, never>' : `{ ${handle}: ${device} }`;
  const summary =
    deviceType === null
      ? '`worked for ${seconds} s`'
      : `\`worked with \${devices.${handle}.name} for \${seconds} s\``;
  return {
    [`tasks/${type}/task.yml`]: `type: ${type}
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
`,
    [`tasks/${type}/task.ts`]: `import { setTimeout as pause } from 'node:timers/promises';
import { BaseTask, type TaskResult } from '@lab/sdk';
${imported}
interface Parameters {
  seconds: number;
}

export default class ${ownClass(type, 'Task')} extends BaseTask<${given}, Parameters> {
  async _execute(
    ${deviceType === null ? '_devices' : 'devices'}: this['devices'],
    { seconds }: Parameters,
  ): Promise<TaskResult<{ summary: string }>> {
    ${wait}
    return [{ summary: ${summary} }, {}, {}];
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

/** JSON with each list of one element on one line. */
function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2).replace(/\[\n\s+("[^"\n]*")\n\s+\]/g, '[$1]')}\n`;
}

/** A class name that the SDK and JavaScript do not use. */
function ownClass(type: string, suffix: 'Device' | 'Task'): string {
  const name = className(type);
  return name === 'Base' ? `Own${suffix}` : `${name}${suffix}`;
}
