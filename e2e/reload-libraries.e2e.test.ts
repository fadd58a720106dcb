import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LabChange, Problem } from '@lab/contracts';
import { lockText } from '@lab/definitions/environments';
import { makeWheel, withoutPip } from '@lab/testkit/python';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLab, type Lab } from './lab.js';

/** A reload with other libraries: the device works while its next environment is built, and no longer. */

const skipped = withoutPip();
let userDir: string;
let lab: Lab;
const file = (name: string): string => join(userDir, 'greet_lab', name);

async function put(name: string, text: string): Promise<void> {
  await mkdir(dirname(file(name)), { recursive: true });
  await writeFile(file(name), text);
}

/** Locks the library with what it says. @param tags of its wheel */
async function lock(says: string, tags?: string): Promise<void> {
  const { name, sha256, size } = makeWheel(file('wheels'), {
    ...{ name: 'greeter', version: '1.0.0', files: { 'greeter/__init__.py': `SAYS = "${says}"\n` } },
    ...(tags === undefined ? {} : { tags }),
  });
  const library = { name: 'greeter', version: '1.0.0', marker: null, wheels: [{ name, sha256, size }] };
  await put(
    'pylock.toml',
    lockText({ environments: [], requiresPython: null, libraries: [library], made: null }),
  );
}

beforeAll(async () => {
  if (skipped) return;
  userDir = await mkdtemp(join(import.meta.dirname, '.greet-'));
  await put(
    'package.json',
    '{ "name": "greet_lab", "version": "1.0.0", "private": true, "type": "module" }\n',
  );
  await put(
    'laboratories/greet_lab/lab.yml',
    'name: greet_lab\ndesc: Greets\ndevices:\n  host: { desc: Greets, type: host, computer: svc_computer }\n',
  );
  await put('devices/host/device.yml', 'type: host\ndesc: Greets\n');
  await put(
    'devices/host/device.py',
    `import os

import greeter
from svc_lab import BaseDevice, query


class Host(BaseDevice):
    def _initialize(self, parameters):
        pass

    def _cleanup(self):
        pass

    def _report(self):
        return {}

    @query
    def greet(self):
        return {"says": greeter.SAYS, "pid": os.getpid()}
`,
  );
  await lock('good morning');
  lab = await startLab(['greet_lab'], { userDir, readyMs: 200_000 });
});
afterAll(async () => {
  if (skipped) return;
  await lab.stack.dispose();
  await rm(userDir, { recursive: true, force: true });
});

interface Greeting {
  says: string;
  pid: number;
}
const greet = async (): Promise<Greeting | undefined> => {
  const { status, body } = await lab.api.rpc<Greeting>('greet_lab', 'host', 'greet');
  return status === 200 ? body : undefined;
};
const reload = () =>
  lab.api.call<LabChange[] & Problem>('POST', '/api/labs/reload', { lab_types: ['greet_lab'] });

/** When the log of the agent has a line, in milliseconds since 1970. */
async function loggedAt(...texts: string[]): Promise<number> {
  const lines = (await readFile(join(lab.stack.dataDir, 'logs', 'agent.log'), 'utf8')).split('\n');
  const line = lines.findLast((each) => texts.every((text) => each.includes(text)));
  if (line === undefined) throw new Error(`the agent has not logged ${texts.join(', ')}`);
  return Date.parse(String((JSON.parse(line) as { time: string }).time));
}

describe.skipIf(skipped)('a reload with other libraries', () => {
  it('builds the next environment while the device works', async () => {
    const before = await greet();
    expect(before?.says).toBe('good morning');
    await lock('good evening');
    const over = reload().then((answer) => ({ answer, at: Date.now() }));
    let isOver = false;
    void over.then(() => (isOver = true));
    const seen: { at: number; answered: number; greeting: Greeting | undefined }[] = [];
    while (!isOver) {
      const at = Date.now();
      const greeting = await greet();
      seen.push({ at, answered: Date.now(), greeting });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect((await over).answer.status).toBe(200);
    expect((await greet())?.says).toBe('good evening');
    // The old process answers until the environment is complete.
    const [begun, built] = [
      await loggedAt('building an environment'),
      await loggedAt('built an environment'),
    ];
    const during = seen.filter(({ at, answered }) => at > begun && answered < built);
    expect(during.length).toBeGreaterThan(3);
    expect(new Set(during.map(({ greeting }) => greeting?.pid))).toEqual(new Set([before?.pid]));
    // Without the device there is only its restart.
    const [first, last] = [
      seen.find(({ at, greeting }) => at > built && greeting?.pid !== before?.pid)?.at ?? built,
      (await over).at,
    ];
    expect(last - first).toBeLessThan(Math.max(built - begun, 5_000));
  });

  it('is refused when a library cannot be installed, and touches no device', async () => {
    const before = await greet();
    await lock('nothing', 'cp39-cp39-win_arm64');
    const { status, body } = await reload();
    expect([status, body.code]).toEqual([503, 'device_unavailable']);
    expect(body.errors).toMatchObject([{ path: 'greet_lab.devices.host', code: 'code_unavailable' }]);
    expect(body.detail).toMatch(
      /no device was touched, because svc_computer cannot have the code of host: .*the lock has no wheel of greeter/,
    );
    expect(await greet()).toEqual(before);
  });
});
