import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Contents of one generated package. */
export const unit = {
  labs: 50,
  devicesPerLab: 10,
  deviceTypes: 20,
  tasks: 300,
  protocols: 100,
  tasksPerProtocol: 40,
};

/** Writes package `p<index>` into the user directory: valid, with every kind of reference, and names of its own. */
export async function generatePackage(userDir: string, index: number): Promise<void> {
  const p = `p${index}`;
  const files: Record<string, string> = { 'package.json': JSON.stringify({ name: p, type: 'module' }) };
  for (let i = 0; i < unit.deviceTypes; i++) {
    const type = `${p}_device_${i}`;
    files[`devices/${type}/device.yml`] =
      `type: ${type}\ndesc: Device\ninit_parameters:\n  port: /dev/ttyUSB0\n  speed: ${i}\n`;
    files[`devices/${type}/device.ts`] = device;
  }
  for (let i = 0; i < unit.tasks; i++) files[`tasks/${p}_task_${i}/task.yml`] = taskFile(p, i);
  for (let i = 0; i < unit.tasks; i++) files[`tasks/${p}_task_${i}/task.ts`] = task;
  for (let i = 0; i < unit.labs; i++) files[`laboratories/${p}_lab_${i}/lab.yml`] = labFile(p, index, i);
  for (let i = 0; i < unit.protocols; i++)
    files[`experiments/${p}_protocol_${i}/experiment.yml`] = protocolFile(p, i);
  for (const [path, text] of Object.entries(files)) {
    const target = join(userDir, p, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
}

const device = `import { BaseDevice } from '@lab/sdk';

export default class Device extends BaseDevice {
  _initialize() {}
  _cleanup() {}
  _report() {
    return {};
  }
}
`;

const task = `import { BaseTask } from '@lab/sdk';

// Revision
export default class Task extends BaseTask {
  async _execute(_devices: unknown, parameters: Record<string, number>) {
    return [{ total: parameters.volume }, {}, {}];
  }
}
`;

const typeOf = (p: string, i: number): string => `${p}_device_${i % unit.deviceTypes}`;

function taskFile(p: string, i: number): string {
  return `type: ${p}_task_${i}
desc: Task
devices:
  tool: {type: ${typeOf(p, i)}}
input_parameters:
  volume: {type: float, unit: ml, desc: Volume, min: 0, max: 10}
  times: {type: int, unit: n/a, desc: How often, value: 1}
  mode: {type: choice, desc: How, choices: [slow, fast], value: slow}
  steps: {type: list, element_type: float, desc: Steps, length: 2, min: [0, 0], max: [5, 5], value: [1, 2]}
output_parameters:
  total: {type: float, unit: ml, desc: Total}
input_resources:
  cup: {type: beaker}
`;
}

function labFile(p: string, index: number, i: number): string {
  const name = `${p}_lab_${i}`;
  // A lab has every other device type: those that the protocols with its parity use.
  return `name: ${name}
desc: Laboratory
computers:
  ${name}_pc: {ip: 10.${index}.${i}.1}
{{set count=${unit.devicesPerLab}}}
devices:
{{#range 0 count as |i|}}
  device_{{i}}:
    type: ${p}_device_{{add (multiply 2 i) ${i % 2}}}
    computer: ${name}_pc
    init_parameters: {speed: {{i}} }
{{/range}}
resource_types:
  beaker: {meta: {capacity: 100}}
resources:
  ${name}_cup_1: {type: beaker}
  ${name}_cup_2: {type: beaker, meta: {capacity: 50}}
`;
}

function protocolFile(p: string, i: number): string {
  const labs = [i % unit.labs, (i + 1) % unit.labs].map((lab) => `${p}_lab_${lab}`);
  const tasks = Array.from({ length: unit.tasksPerProtocol }, (_, t) => {
    // Every other task has the type of the task before it, so that it can use the same device.
    const type = (i * 7 + Math.floor(t / 2)) % unit.tasks;
    const follows = t % 2 === 1;
    return `  - name: t${t}
    type: ${p}_task_${type}
    desc: Step
    duration: ${t + 1}
    devices:
      tool: ${follows ? `{ref: t${t - 1}.tool}` : `{allocation_type: dynamic, device_type: ${typeOf(p, type)}, allowed_labs: [${labs.join(', ')}], hold: true}`}
    resources:
      cup: ${t === 0 ? '{allocation_type: dynamic, resource_type: beaker, hold: true}' : `{ref: t${t - 1}.cup, hold: true}`}
    parameters:
      volume: ${t === 0 ? 'svc_dynamic' : `t${t - 1}.total`}
      times: ${(t % 5) + 1}
${t === 0 ? '' : `    dependencies: [t${t - 1}]\n`}`;
  }).join('');
  return `type: ${p}_protocol_${i}\ndesc: Protocol\nlabs: [${labs.join(', ')}]\ntasks:\n${tasks}`;
}
