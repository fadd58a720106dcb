import { createHash } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockText, type LockedLibrary, type PythonLock } from '@lab/definitions/environments';
import { makeWheel, withoutPip, type TestWheel } from '@lab/testkit/python';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Lab } from './lab.js';
import type { TestModule } from './modules.js';

/** Code in Python with libraries, on a real agent without PyPI. A stand-in orchestrator has the lock and the wheels. */

let lab: Lab;
beforeEach(async () => {
  lab = await Lab.open();
});
afterEach(() => lab.close());

/** Longest build on a busy computer, in milliseconds. */
const buildMs = 60_000;

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

function wheel(says = 'good morning', tags = 'py3-none-any'): TestWheel {
  const files = { 'greeter/__init__.py': `GREETING = ${JSON.stringify(says)}\n` };
  return makeWheel(join(lab.dataDir, 'made'), { name: 'greeter', version: '1.0.0', files, tags });
}

/** Offers a lock of wheels. @returns its SHA-256 */
function locked(wheels: readonly TestWheel[], change: Partial<PythonLock> = {}): string {
  const library: LockedLibrary = { name: 'greeter', version: '1.0.0', marker: null, wheels: [...wheels] };
  const lock = { environments: [], requiresPython: null, libraries: [library], made: null, ...change };
  const text = Buffer.from(lockText(lock));
  lab.archives.set(sha256(text), text);
  for (const { sha256: hash, content } of wheels) lab.archives.set(hash, content);
  return sha256(text);
}

function moduleOf(source: string, environment: string | undefined, code: string): TestModule {
  const named = environment === undefined ? {} : { environment };
  const content = { svc_python: 1, package: 'agent_lab', ...named, files: { [source]: code } };
  const text = JSON.stringify(content);
  const hash = sha256(text);
  const module: TestModule = {
    reference: { hash, package: 'agent_lab', source, runtime: 'python', ...named },
    text,
  };
  lab.modules.set(hash, module);
  return module;
}

const greeting = (environment: string | undefined): TestModule =>
  moduleOf(
    'devices/meter/device.py',
    environment,
    `
import greeter
from svc_lab import BaseDevice


class Meter(BaseDevice):
    def _initialize(self, parameters):
        print(f"said: {greeter.GREETING}")

    def _cleanup(self):
        pass

    def _report(self):
        return {}
`,
  );

const task = (environment: string | undefined): TestModule =>
  moduleOf(
    'tasks/greet/task.py',
    environment,
    `
import importlib.util
import sys
from svc_lab import BaseTask


class Greet(BaseTask):
    def _execute(self, devices, parameters, resources):
        if importlib.util.find_spec("greeter") is None:
            return {"said": None, "prefix": sys.prefix}, {}, {}
        import greeter
        return {"said": greeter.GREETING, "prefix": sys.prefix}, {}, {}
`,
  );

const folder = (): string => join(lab.dataDir, 'agents', 'svc_computer', 'environments');
const environments = (): string[] => (existsSync(folder()) ? readdirSync(folder()).sort() : []);
const assign = (...modules: TestModule[]): void => {
  const devices = modules.map(({ reference }, index) => ({
    ...lab.device(`meter_${index}`),
    module: reference,
  }));
  lab.assigned.set('svc_computer', devices);
};
async function said({ reference }: TestModule): Promise<unknown> {
  const begun = { ...lab.task({}), module: reference };
  await lab.start(begun);
  const outcome = await lab.outcome(begun.attempt_id, buildMs);
  return outcome.kind === 'completed' ? outcome.output_parameters['said'] : outcome;
}
const complete = [
  expect.stringMatching(/^[0-9a-f]{64}-[0-9a-f]{12}$/),
  expect.stringMatching(/^[0-9a-f]{64}\.json$/),
];

describe.skipIf(withoutPip())('libraries of code in Python', () => {
  it('are installed once for the devices and tasks of a lock, and not for other code', async () => {
    const lock = locked([wheel()]);
    assign(greeting(lock), greeting(lock));
    const agent = await lab.agent();
    expect(await said(task(lock))).toBe('good morning');
    await lab.deviceIs('meter_0', 'idle');
    await lab.deviceIs('meter_1', 'idle');
    expect(await said(task(undefined))).toBeNull();
    const other = locked([wheel('good evening')]);
    expect(await said(task(other))).toBe('good evening');
    const built = (line: string): boolean => line.includes('built an environment');
    expect(agent.lines.filter(built)).toHaveLength(2);
    agent.child.kill('SIGTERM');
    await agent.gone;
    // A restart fetches nothing and builds nothing.
    const fetches = lab.fetches.length;
    const again = await lab.agent();
    await lab.until(
      'the devices run again',
      () => again.lines.filter((line) => line.includes('said: ')).length === 2,
    );
    expect(lab.fetches.slice(fetches)).toEqual([]);
    expect(again.lines.filter(built)).toEqual([]);
  });

  it('are built anew when a build was broken off, and what it left is removed', async () => {
    const lock = locked([wheel()]);
    assign(greeting(lock));
    const agent = lab.launch('svc_computer');
    await lab.until('the build runs', () => environments().some((name) => /-[0-9a-f]{12}$/.test(name)));
    agent.child.kill('SIGKILL');
    await agent.gone;
    expect(environments()).not.toContainEqual(expect.stringMatching(/\.json$/));
    writeFileSync(join(folder(), 'left.json'), '{"lock": "of a crash');
    await lab.agent();
    await lab.until('the device is idle', () => lab.latest('meter_0')?.state === 'idle', buildMs);
    expect(environments()).toEqual(complete);
  });

  it('that cannot be installed stop the start of a device and of a task with one sentence', async () => {
    const lock = locked([wheel('', 'cp39-cp39-win_arm64')]);
    const why = 'the lock has no wheel of greeter 1.0.0 that fits: greeter-1.0.0-cp39-cp39-win_arm64.whl';
    assign(greeting(lock));
    await lab.agent();
    await lab.deviceIs('meter_0', 'faulted');
    expect(String(lab.latest('meter_0')?.detail)).toContain(why);
    expect(await said(task(lock))).toMatchObject({
      ...{ kind: 'failed', code: 'not_started' },
      error: { message: expect.stringContaining(why) as unknown },
    });
    expect(environments()).toEqual([]);
  });
});
