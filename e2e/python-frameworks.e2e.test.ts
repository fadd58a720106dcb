import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeviceRecord, Problem } from '@lab/contracts';
import { withoutPython, withoutPythonVariable } from '@lab/testkit/python';
import { pythonEnvironment } from '../apps/cli/src/demo/python-environment.js';
import { guideFiles } from '../tools/test/guide-blocks.js';
import { eventually } from './api.js';
import { GuideShell } from './guide-commands.js';
import { startLab, type Lab } from './lab.js';

/** The devices of QCoDeS, PyMeasure, ophyd and VISA with the real libraries: in Python alone, and in a whole stack. */

const root = fileURLToPath(new URL('..', import.meta.url));
const tests = join(root, 'libs', 'python-host', 'test', 'instruments');
const page = 'docs/guide/python-frameworks.md';
const place = 'bench_demo_lab';

/** The environment of the lock; undefined: there is no Python 3.11, or nowhere to get the libraries from. */
const python = withoutPython() ? undefined : await environment();

async function environment(): Promise<string | undefined> {
  const began = Date.now();
  try {
    const made = await pythonEnvironment(
      join(tests, 'requirements.lock'),
      join(root, '.cache', 'python'),
      process.env['SVC_PYTHON'],
      () => undefined,
      AbortSignal.timeout(400_000),
    );
    process.stdout.write(`The libraries of instruments were there after ${seconds(began)} s\n`);
    return made;
  } catch (error) {
    if (process.env[withoutPythonVariable] === '0') throw error;
    process.stderr.write(`The tests of instruments in Python DO NOT RUN: ${(error as Error).message}\n`);
    return undefined;
  }
}

function seconds(began: number): string {
  return ((Date.now() - began) / 1000).toFixed(1);
}

/** Runs the tests in Python of one framework. */
async function unittest(name: string): Promise<string> {
  const path = [tests, join(root, 'libs', 'python-host', 'src')].join(delimiter);
  const { stdout, stderr } = await promisify(execFile)(
    python ?? '',
    ['-W', 'ignore', '-m', 'unittest', `test_${name}`],
    { cwd: tests, env: { ...process.env, PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' } },
  );
  return stdout + stderr;
}

describe.skipIf(python === undefined)('instruments of frameworks in Python', () => {
  it.each(['qcodes', 'pymeasure', 'ophyd', 'visa'])('become devices: %s', async (name) => {
    expect(await unittest(name)).toMatch(/^Ran [1-9]\d* tests[\s\S]*^OK$/m);
  });
});

describe.skipIf(python === undefined)('a lab with an instrument of each framework', () => {
  let shell: GuideShell;
  let lab: Lab;
  let userDir = '';
  const commands = [...readFileSync(join(root, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, text = '']) => text,
  );
  const type = async (text: string, instead: Record<string, string> = {}): Promise<string> => {
    const script = Object.entries(instead).reduce((all, [from, to]) => all.replaceAll(from, to), text);
    const { code, printed } = await shell.typed(`set -e\n${script}`, { env: {}, instead: {} });
    expect({ code, printed }).toMatchObject({ code: 0 });
    return printed;
  };
  const call = <T>(device: string, name: string, parameters: object = {}) =>
    lab.api.rpc<T & Problem>(place, device, name, parameters);
  const details = async (device: string): Promise<DeviceRecord & { functions: { name: string }[] }> =>
    (
      await lab.api.call<DeviceRecord & { functions: { name: string }[] }>(
        'GET',
        `/api/labs/${place}/devices/${device}`,
      )
    ).body;

  beforeAll(async () => {
    shell = new GuideShell();
    userDir = join(shell.folder, 'packages');
    // The first block installs libraries for a person.
    await type(commands[1] ?? '');
    const wrong = guideFiles.find(({ path }) => path.endsWith(`${place}/lab.yml`))?.text ?? '';
    put(`bench_demo/laboratories/${place}/lab.yml`, wrong);
    put(
      'bench_demo/laboratories/wrong_lab/lab.yml',
      `name: wrong_lab
desc: Devices with init parameters that are wrong
devices:
${Object.entries(mistakes)
  .map(
    ([name, { type: of, init }]) =>
      `  ${name}:\n    desc: Wrong\n    type: ${of}\n    computer: svc_computer\n    init_parameters: ${JSON.stringify(init)}\n`,
  )
  .join('')}`,
    );
    lab = await startLab([place, 'wrong_lab'], { userDir, env: { SVC_PYTHON: python ?? '' }, idle: false });
    await eventually(
      () => lab.api.devices(),
      (devices) =>
        devices.filter((each) => each.lab_name === place).every((each) => each.state === 'idle') &&
        devices.filter((each) => each.lab_name !== place).every((each) => each.detail !== null),
      120_000,
    );
  });
  afterAll(async () => {
    await lab?.stack.dispose();
    shell?.dispose();
  });

  function put(path: string, text: string): void {
    mkdirSync(dirname(join(userDir, path)), { recursive: true });
    writeFileSync(join(userDir, path), text);
  }

  /** Init parameters that are wrong, and what the service says about them. */
  const mistakes: Record<string, { type: string; init: object; says: RegExp }> = {
    no_instrument: {
      type: 'qcodes_instrument',
      init: { class: 'math.sqrt' },
      says: /class is math\.sqrt: that is no instrument of QCoDeS/,
    },
    no_class: {
      type: 'pymeasure_instrument',
      init: { class: 'pymeasure.instruments.keithley.Keithley9999' },
      says: /class is pymeasure\.instruments\.keithley\.Keithley9999: .* has no Keithley9999/,
    },
    no_package: {
      type: 'ophyd_part',
      init: { class: 'no_such_framework.Motor' },
      says: /no_such_framework\.Motor needs the package no_such_framework/,
    },
    no_simulator: {
      type: 'pymeasure_instrument',
      init: { class: 'pymeasure.instruments.keithley.Keithley2000', simulate: true },
      says: /PyMeasure has no simulator for Keithley2000/,
    },
    no_resource: {
      type: 'bench_supply',
      init: { arguments: {} },
      says: /init_parameters\.arguments has no resource_name/,
    },
  };

  it('is written by the commands on the page as the page shows it', () => {
    const shown = guideFiles.filter(({ path }) => /^bench_demo\/devices\//.test(path));
    expect(shown).toHaveLength(8);
    for (const { path, text } of shown)
      expect(readFileSync(join(userDir, path), 'utf8')).toBe(text.replace(/^# .*\n/, ''));
  });

  it('has what the instruments can do as functions', async () => {
    const names = async (device: string) => (await details(device)).functions.map(({ name }) => name).sort();
    expect(await names('meter')).toEqual(['get_IDN', 'get_NPLC', 'get_volt', 'init_measurement', 'set_NPLC']);
    expect(await names('scope')).toEqual(expect.arrayContaining(['get_voltage', 'set_time', 'get_wave']));
    expect(await names('stage')).toEqual(['get_position', 'get_velocity', 'read', 'set', 'set_velocity']);
    expect(await names('rotation')).toEqual(
      expect.arrayContaining(['locate', 'read', 'set', 'set_velocity']),
    );
    expect(await names('supply')).toEqual(['measure_voltage', 'set_voltage', 'switch_output']);
    const nplc = (await details('meter')).functions.find(({ name }) => name === 'set_NPLC');
    expect(nplc).toMatchObject({
      kind: 'idempotent',
      parameters: { value: { type: 'choice', choices: expect.arrayContaining([0.02, 10, 100]) as number[] } },
    });
  });

  it.each([
    ['meter', 'set_NPLC', { value: 10 }, 'get_NPLC', {}, 10],
    ['scope', 'set_frame_width', { value: 4 }, 'get_frame_width', {}, 4],
    ['stage', 'set_velocity', { value: 2 }, 'get_velocity', {}, 2],
    ['rotation', 'set_velocity', { value: 50 }, 'get_velocity', {}, 50],
    ['supply', 'set_voltage', { voltage: 3.3 }, 'measure_voltage', {}, 0],
  ])('%s sets with %s and reads back', async (device, set, given, get, none, expected) => {
    const done = await call(device, set, given);
    expect([done.status, done.body]).toEqual([200, null]);
    expect((await call(device, get, none)).body).toEqual(expected);
  });

  it('does what the commands on the page ask for', async () => {
    const printed = await type(commands[2] ?? '', { 'http://127.0.0.1:8070': lab.stack.url });
    expect(printed).toContain('"measure_voltage"');
    expect(commands).toHaveLength(3);
  });

  it.each([
    ['meter', 'set_NPLC', { value: 11 }, /choices|one of/],
    ['stage', 'set_velocity', { value: 'fast' }, /number|float/],
    ['supply', 'set_voltage', { voltage: 31 }, /30/],
    ['supply', 'set_voltage', {}, /voltage/],
    ['rotation', 'set_velocity', { speed: 1 }, /speed/],
  ])('refuses a bad argument of %s.%s before the driver gets it', async (device, name, given, says) => {
    const { status, body } = await call(device, name, given);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toMatch(says);
  });

  it.each([
    ['stage', 'set', { value: 5 }, 2],
    ['rotation', 'set', { value: 100_000 }, 50],
  ])('stops %s while an effect runs, and its process goes on', async (device, name, given, velocity) => {
    const running = call(device, name, given);
    await eventually(
      () => lab.api.device(device),
      ({ state }) => state !== 'idle',
    );
    const request = { lab_name: place, device_name: device };
    expect((await lab.api.call('POST', '/api/estop', request)).status).toBe(201);
    const { status, body } = await running;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(body)).toMatch(/stop/i);
    expect((await lab.api.call('POST', '/api/estop/release', { by: 'ada' })).status).toBe(200);
    await eventually(
      () => lab.api.device(device),
      ({ state, halted }) => state === 'idle' && halted === null,
    );
    // A new process would have the velocity of the beginning.
    expect((await call(device, 'get_velocity')).body).toBe(velocity);
  });

  it.each(Object.keys(mistakes))('refuses %s with a sentence', async (name) => {
    const { detail, state } = await lab.api.device(name);
    expect(detail).toMatch(mistakes[name]?.says ?? /^$/);
    expect(state).not.toBe('idle');
  });
});
