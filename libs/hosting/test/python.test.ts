import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Python } from '../src/python.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lab-python-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const module = { package: 'color_lab', source: 'devices/pump/device.py' };

/** A program that answers as a Python. */
async function answering(text: string): Promise<string> {
  const path = join(folder, 'python');
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('the Python of a computer', () => {
  it('is the program that the interpreter itself names', async () => {
    const python = new Python(await answering('echo 3 12 /opt/python/bin/python3.12'));
    await python.demand(module);
    expect(python.program).toBe('/opt/python/bin/python3.12');
  });

  it.each([
    ['echo 3 8 /usr/bin/python3', 'is 3.8'],
    ['echo 2 7 /usr/bin/python', 'is 2.7'],
    ['exit 3', 'ended with 3'],
  ])('is demanded in one sentence when it answers with "%s"', async (text, why) => {
    const command = await answering(text);
    await expect(new Python(command).demand(module)).rejects.toMatchObject({
      code: 'not_found',
      message: `the computer ${hostname()} has no Python 3.9 or later, which color_lab/devices/pump/device.py needs (${command} ${why}): install one, for example with "apt install python3" or from https://www.python.org, or name its program with SVC_PYTHON`,
    });
  });

  it('is looked for again after it was missing', async () => {
    const python = new Python(join(folder, 'python'));
    await expect(python.demand(module)).rejects.toThrow(`there is no ${join(folder, 'python')}`);
    await answering('echo 3 9 /usr/bin/python3');
    await expect(python.demand(module)).resolves.toBeUndefined();
  });
});
