import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DeviceRecord } from '@lab/contracts';
import { withoutPython, withoutPythonVariable } from '@lab/testkit/python';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pythonEnvironment } from '../apps/cli/src/demo/python-environment.js';
import { eventually, isOver } from './api.js';
import { DebugAdapter } from './debugger/debug-adapter.js';
import { Inspector } from './debugger/inspector.js';
import { labFiles } from './debugger/lab-files.js';
import { startLab, type Lab } from './lab.js';

/** Debuggers as editors use them, on the whole service: debugpy, and the inspector of Node. */

const root = fileURLToPath(new URL('..', import.meta.url));
/** Longer than every time limit of the lab, in milliseconds. */
const thinkingMs = 5_000;
const thinking = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, thinkingMs));

/** A Python with debugpy; undefined: there is no Python, or nowhere to get debugpy from. */
const python = withoutPython() ? undefined : await pythonWithDebugpy();

async function pythonWithDebugpy(): Promise<string | undefined> {
  const folder = join(root, '.cache', 'python');
  const own = join(folder, 'debugpy.txt');
  try {
    const lock = await readFile(join(root, 'tools', 'python', 'lock.txt'), 'utf8');
    const blocks = lock.split(/\n(?=\S)/).filter((block) => block.startsWith('debugpy=='));
    await mkdir(folder, { recursive: true });
    await writeFile(own, `${blocks.join('\n')}\n`);
    const limit = AbortSignal.timeout(240_000);
    return await pythonEnvironment(own, folder, process.env['SVC_PYTHON'], () => undefined, limit);
  } catch (error) {
    if (process.env[withoutPythonVariable] === '0') throw error;
    process.stderr.write(`The tests of the debugger of Python DO NOT RUN: ${(error as Error).message}\n`);
    return undefined;
  }
}

let userDir: string;
let lab: Lab;
const closing: { close(): void }[] = [];
beforeAll(async () => {
  userDir = await mkdtemp(join(import.meta.dirname, '.debug-'));
  for (const [name, text] of Object.entries(labFiles(python !== undefined))) {
    const path = join(userDir, 'debug_lab', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  const hosts = ['debug_lab.pump', 'debug_lab.valve', 'dispense'];
  lab = await startLab(['debug_lab'], {
    userDir,
    readyMs: 200_000,
    args: hosts.flatMap((host) => ['--debug-host', host]),
    env: {
      SVC_DEVICE_CALL_TIMEOUT_S: '2',
      ...(python === undefined ? {} : { SVC_PYTHON: python }),
    },
  });
});
afterEach(() => {
  for (const each of closing.splice(0)) each.close();
});
afterAll(async () => {
  await lab.stack.dispose();
  await rm(userDir, { recursive: true, force: true });
});

async function lineOf(file: string, text: string): Promise<number> {
  const lines = (await readFile(join(userDir, 'debug_lab', file), 'utf8')).split('\n');
  const index = lines.findIndex((line) => line.includes(text));
  if (index < 0) throw new Error(`${file} has no line "${text}"`);
  return index + 1;
}

/** The address that the log of the service has named last. */
function named(host: string): string | undefined {
  const lines = [
    ...lab.stack.output().matchAll(/attach a debugger to (\S+) \((?:node|python)\) at ([\d.]+:\d+)/g),
  ];
  return lines.findLast(([, name]) => name === host)?.[2];
}

const rpc = (device: string, name: string, parameters: object) =>
  lab.api.rpc<unknown>('debug_lab', device, name, parameters);
const attentionCodes = async (): Promise<string[]> =>
  (await lab.api.attention()).map(({ reason }) => reason.code);
const whileHeld = {
  state: 'busy',
  halted: null,
  detail: expect.stringContaining('so it has no time limits') as string,
};

it('the record of a device and the log say where a debugger may attach, and only there', async () => {
  const pump = await lab.api.device('pump');
  expect(pump.debugger).toMatch(/^127\.0\.0\.1:\d+$/);
  expect(named('debug_lab.pump')).toBe(pump.debugger);
  expect(pump.functions.map(({ timeout_s: seconds }) => seconds)).toEqual([604_800]);
  expect(await lab.api.device('lamp')).toMatchObject({ debugger: null, detail: null });
});

it('the inspector holds a device in TypeScript at a line of the file of its author, for as long as it likes', async () => {
  const file = 'devices/pump/device.ts';
  const inspector = await Inspector.attach((await lab.api.device('pump')).debugger ?? '');
  closing.push(inspector);
  const script = await inspector.scriptWith('this.total += volume');
  const { lines, map } = script;
  const generated = lines.findIndex((line) => line.includes('this.total += volume'));
  await inspector.ask('Debugger.setBreakpoint', {
    location: { scriptId: script.id, lineNumber: generated },
  });
  const call = rpc('pump', 'dose', { volume: 2 });
  const paused = await inspector.event('Debugger.paused');
  const [frame] = paused['callFrames'] as {
    callFrameId: string;
    location: { lineNumber: number; columnNumber: number };
  }[];
  const { lineNumber = 0, columnNumber = 0 } = frame?.location ?? {};
  const entry = new SourceMap(map).findEntry(lineNumber, columnNumber);
  if (!('originalSource' in entry)) throw new Error('the line is in no file of the author');
  // An editor maps this address to the folder of packages.
  expect([`${map.sourceRoot}${entry.originalSource}`, entry.originalLine + 1]).toEqual([
    `package:///debug_lab/${file}`,
    await lineOf(file, 'this.total += volume'),
  ]);
  const asked = { callFrameId: frame?.callFrameId, expression: 'volume' };
  expect(await inspector.ask('Debugger.evaluateOnCallFrame', asked)).toMatchObject({ result: { value: 2 } });
  await thinking();
  expect(await lab.api.device('pump')).toMatchObject(whileHeld);
  expect(await attentionCodes()).toEqual([]);
  await inspector.ask('Debugger.resume');
  expect(await call).toMatchObject({ status: 200, body: { total: 2 } });
});

describe.skipIf(python === undefined)('debugpy', () => {
  const file = 'devices/valve/device.py';

  async function holdValve(): Promise<{
    adapter: DebugAdapter;
    call: ReturnType<typeof rpc>;
    threadId: number;
  }> {
    const adapter = await DebugAdapter.connect((await lab.api.device('valve')).debugger ?? '');
    closing.push(adapter);
    const line = await lineOf(file, 'self._dosed += volume');
    const path = join(userDir, 'debug_lab', file);
    await adapter.attach(path, [line]);
    const call = rpc('valve', 'dose', { volume: 3 });
    const { reason, threadId } = await adapter.event('stopped');
    expect(reason).toBe('breakpoint');
    const { stackFrames } = await adapter.ask('stackTrace', { threadId });
    const [frame] = stackFrames as { id: number; line: number; source: { path: string } }[];
    expect(frame).toMatchObject({ line, source: { path } });
    expect(await adapter.ask('evaluate', { expression: 'volume', frameId: frame?.id })).toMatchObject({
      result: '3',
    });
    return { adapter, call, threadId: threadId as number };
  }

  it('holds a device in Python at a line of the file of its author, for as long as it likes', async () => {
    const { adapter, call, threadId } = await holdValve();
    await thinking();
    expect(await lab.api.device('valve')).toMatchObject(whileHeld);
    expect(await attentionCodes()).toEqual([]);
    await adapter.ask('continue', { threadId });
    expect(await call).toMatchObject({ status: 200, body: { dosed: 3 } });
  });

  it('holds a task beyond its timeout, which begins when the debugger has attached', async () => {
    const task = 'tasks/dispense/task.py';
    await lab.api.submit('tasks', {
      ...{ name: 'held', type: 'dispense', timeout: 3, input_parameters: { volume: 4 } },
      devices: { lamp: { lab_name: 'debug_lab', name: 'lamp' } },
    });
    const address = await eventually(
      async () => named('dispense'),
      (found) => found !== undefined,
    );
    const adapter = await DebugAdapter.connect(address ?? '');
    closing.push(adapter);
    const line = await lineOf(task, 'return {"dosed"');
    const path = join(userDir, 'debug_lab', task);
    await adapter.attach(path, [line]);
    const { threadId } = await adapter.event('stopped');
    await thinking();
    expect(await lab.api.task('held')).toMatchObject({ state: 'running', reason: null });
    await adapter.ask('continue', { threadId });
    expect(await eventually(() => lab.api.task('held'), isOver)).toMatchObject({
      ...{ state: 'completed', output_parameters: { dosed: 4 } },
      runtime: { name: 'python', environment: null },
    });
  });

  it('keeps nobody from an emergency stop', async () => {
    const { call } = await holdValve();
    const stop = { lab_name: 'debug_lab', device_name: 'valve', by: 'ada', reason: 'smoke' };
    expect((await lab.api.call('POST', '/api/estop', stop)).status).toBeLessThan(300);
    const stopped = await eventually(
      () => lab.api.device('valve'),
      (device: DeviceRecord) => device.debugger === null,
    );
    expect(stopped.halted).toContain('smoke');
    expect((await call).status).toBeGreaterThanOrEqual(400);
  });
});

it('a service that other computers reach refuses the option', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'apps', 'cli', 'bin', 'svc.mjs'), 'start', '--debug-host', 'debug_lab.pump'],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], SVC_HTTP_HOST: '0.0.0.0', SVC_DATA_DIR: join(userDir, 'data') },
    },
  );
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining('--debug-host is for development on one computer') as string,
  ]);
});
