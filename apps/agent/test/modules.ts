import { createHash } from 'node:crypto';
import type { ModuleReference } from '@lab/contracts';

/**
 * Device and task modules as the service bundles them: plain ES modules that contain the necessary parts of the SDK.
 */

export interface TestModule {
  reference: ModuleReference;
  text: string;
}

const declare = `
const declare = (prototype, name, kind, timeout) =>
  Object.defineProperty(prototype[name], Symbol.for('svc.device_function'), { value: { kind, timeout } });
`;

export const armModule = moduleOf(
  'devices/arm/device.ts',
  `import { appendFileSync, writeSync } from 'node:fs';
${declare}
export default class Arm {
  async _initialize(parameters) {
    this.parameters = parameters;
    if (parameters.refuse) throw new Error(parameters.refuse);
    console.log('arm is ready');
  }
  async _cleanup() {
    if (this.parameters.trace) appendFileSync(this.parameters.trace, 'cleaned up\\n');
  }
  async _report() {
    return { pid: process.pid };
  }
  async move({ to, ms = 0 }) {
    if (this.parameters.trace) appendFileSync(this.parameters.trace, 'move ' + to + '\\n');
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { at: to };
  }
  async brief({ ms }) {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return 'in time';
  }
  hang() {
    if (this.parameters.trace) appendFileSync(this.parameters.trace, 'moves and hangs\\n');
    for (;;);
  }
  where() {
    return process.pid;
  }
  fail({ why }) {
    throw new Error(why);
  }
  scribble() {
    writeSync(4, 'no message at all\\n');
    return new Promise(() => undefined);
  }
  die() {
    console.error('the driver crashed');
    process.exit(7);
  }
  secrets() {
    return Object.keys(process.env).filter((name) => name.startsWith('SVC_'));
  }
}
declare(Arm.prototype, 'brief', 'effect', 0.5);
for (const name of ['move', 'fail', 'die', 'hang', 'scribble']) declare(Arm.prototype, name, 'effect');
for (const name of ['where', 'secrets']) declare(Arm.prototype, name, 'query');
`,
);

/** An arm with `_stop` and `_reconcile`. A file holds its last action, like the memory of an instrument. */
export const steadyArmModule = moduleOf(
  'devices/steady_arm/device.ts',
  `import { appendFileSync, existsSync } from 'node:fs';
${declare}
export default class SteadyArm {
  async _initialize(parameters) {
    this.parameters = parameters;
    this.note('initialize');
  }
  async _cleanup() {
    if (this.parameters.parks) this.note('park');
  }
  async _report() {
    return {};
  }
  async _stop(reason) {
    this.note('stop: ' + reason);
    if (!this.parameters.stubborn) this.halt?.(new Error('stopped'));
  }
  async _reconcile(parameters, inDoubt) {
    this.parameters = parameters;
    this.note('asked for ' + inDoubt.map((call) => call.function).join());
    return { idle: existsSync(parameters.parked), detail: 'the brake is ' + (existsSync(parameters.parked) ? 'on' : 'off') };
  }
  note(line) {
    appendFileSync(this.parameters.trace, line + '\\n');
  }
  move() {
    this.note('move');
    return new Promise((_, reject) => (this.halt = reject));
  }
  where() {
    return process.pid;
  }
}
declare(SteadyArm.prototype, 'move', 'effect');
declare(SteadyArm.prototype, 'where', 'query');
`,
);

/** A device whose code attacks its computer. Each function returns what happened: a code of the system, or `done`. */
export const thiefModule = moduleOf(
  'devices/thief/device.ts',
  `import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
${declare}
const tried = (act) => {
  try {
    act();
    return 'done';
  } catch (error) {
    return error.code;
  }
};
export default class Thief {
  async _initialize() {}
  async _cleanup() {}
  async _report() {
    return {};
  }
  read({ path }) {
    return tried(() => (statSync(path).isDirectory() ? readdirSync(path) : readFileSync(path)));
  }
  write({ path }) {
    return tried(() => writeFileSync(path, 'x'));
  }
  end({ pid }) {
    return tried(() => process.kill(pid, 'SIGTERM'));
  }
  environment() {
    return { ...process.env };
  }
  become({ uid }) {
    return tried(() => process.setuid(uid));
  }
  status() {
    const lines = readFileSync('/proc/self/status', 'utf8').split('\\n');
    return Object.fromEntries(lines.map((line) => line.split(/:\\s+/)).map(([name, value = '']) => [name, value.replaceAll('\\t', ' ')]));
  }
}
for (const name of ['read', 'write', 'end', 'become', 'environment', 'status']) declare(Thief.prototype, name, 'query');
`,
);

export const taskModule = moduleOf(
  'tasks/any/task.ts',
  `import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
const modes = {
  async call(devices, { function: name, args }) {
    return [{ said: await devices.arm[name](args) ?? null }, {}, {}];
  },
  async throw(devices, { why }) {
    throw new Error(why);
  },
  async file(devices, { size }) {
    return [{}, {}, { 'picture.bin': Buffer.alloc(size, 7) }];
  },
  async read(devices, parameters, files) {
    return [{ text: readFileSync(files.raw.path, 'utf8').slice(-6), ending: files.raw.path.slice(-4) }, {}, {}];
  },
  async litter(devices, parameters, files) {
    const folder = dirname(files.raw.path);
    mkdirSync(join(folder, 'closed', 'in'), { recursive: true });
    writeFileSync(join(folder, 'closed', 'in', 'file'), 'x');
    chmodSync(join(folder, 'closed'), 0o000);
    return [{}, {}, {}];
  },
  async wait(devices, { ms }) {
    await delay(ms);
    return [{ waited: ms }, {}, {}];
  },
  async die() {
    console.error('out of beakers');
    await delay(20);
    process.exit(3);
  },
  async many(devices, { calls, lanes }) {
    const began = performance.now();
    const times = [];
    const lane = async () => {
      for (let n = 0; n < calls / lanes; n += 1) {
        const at = performance.now();
        await devices.arm.where({});
        times.push(performance.now() - at);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    const seconds = (performance.now() - began) / 1000;
    times.sort((a, b) => a - b);
    return [{ per_s: calls / seconds, p50_ms: times[times.length >> 1] }, {}, {}];
  },
};
export default class Any {
  async _execute(devices, parameters) {
    console.log('doing ' + parameters.mode);
    return modes[parameters.mode](devices, parameters, this[Symbol.for('svc.context')].files);
  }
}
`,
);

function moduleOf(source: string, text: string): TestModule {
  const hash = createHash('sha256').update(text).digest('hex');
  return { reference: { hash, package: 'agent_lab', source }, text };
}
