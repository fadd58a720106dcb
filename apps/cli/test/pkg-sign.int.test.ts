import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Catalog } from '@lab/definitions';
import { lockText } from '@lab/definitions/environments';
import { readCatalog } from '../src/pkg/check.js';
import { svcHere, type Ran } from './in-process.js';
import './loaded-here.js';

/** The code key of a lab, as a person makes and uses it. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-pkg-sign-'));
  put('package.json', '{ "name": "my_lab", "type": "module", "version": "1.2.0" }');
  put('devices/pump/device.yml', 'type: pump\ndesc: Pumps\n');
  put('devices/pump/device.ts', pump('1'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const svc = (args: string[], key?: string): Promise<Ran> =>
  svcHere(['pkg', ...args], { folder, env: key === undefined ? {} : { SVC_CODE_KEY: key } });
const put = (file: string, text: string): void => {
  const path = join(folder, 'own/my_lab', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const pump = (speed: string): string =>
  `import { BaseDevice } from '@lab/sdk';
export default class Pump extends BaseDevice {
  speed = ${speed};
  async _initialize() {}
  async _cleanup() {}
  async _report() {
    return {};
  }
}
`;
const newKey = async (file: string): Promise<string> =>
  /svc_code_[\w-]{43}/.exec((await svc(['key', 'new', file])).out)?.[0] ?? '';

it('a new key is a file for this user alone, is shown again, and replaces no other', async () => {
  const key = await newKey('lab.pem');
  expect(key).toMatch(/^svc_code_/);
  expect(statSync(join(folder, 'lab.pem')).mode & 0o077).toBe(0);
  const text = readFileSync(join(folder, 'lab.pem'), 'utf8');
  expect((await svc(['key', 'show', 'lab.pem'])).out).toContain(`public key ${key}\n`);
  expect(await svc(['key', 'new', 'lab.pem'])).toMatchObject({
    code: 1,
    err: 'lab.pem exists already; choose another file, because code that its key has signed would be refused\n',
  });
  expect(readFileSync(join(folder, 'lab.pem'), 'utf8')).toBe(text);
});

it('a check with a code key wants a signature, accepts the right one, and names what changed since', async () => {
  const key = await newKey('lab.pem');
  const unsigned = await svc(['check', 'own'], key);
  expect(unsigned.code).toBe(1);
  expect(unsigned.out).toContain(`the package my_lab is not signed, and SVC_CODE_KEY demands code of ${key}`);
  expect(unsigned.out).toContain('svc pkg sign my_lab --key FILE');
  expect(await svc(['sign', 'own/my_lab', '--key', 'lab.pem'])).toMatchObject({
    code: 0,
    out: 'signed 1 module of my_lab: wrote own/my_lab/code-manifest.json\n',
  });
  expect(await svc(['check', 'own'], key)).toMatchObject({ code: 0 });
  put('devices/pump/device.ts', pump('2'));
  const { code, out } = await svc(['check', 'own'], key);
  expect(code).toBe(1);
  expect(out).toMatch(
    /my_lab\/devices\/pump\/device\.ts was signed with the SHA-256 \w{64} in my_lab 1\.2\.0, and \w{64} is offered/,
  );
  const unasked = await svc(['check', 'own']);
  expect(unasked.code).toBe(0);
  expect(unasked.out).toContain('warning: my_lab/devices/pump/device.ts unsigned_code');
});

it('a check does not accept the signature of another key, or another key than one', async () => {
  const key = await newKey('lab.pem');
  await newKey('other.pem');
  await svc(['sign', 'own/my_lab', '--key', 'other.pem']);
  expect((await svc(['check', 'own'], key)).out).toContain('foreign_signature');
  const wrong = await svc(['check', 'own'], 'svc_code_x');
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain('SVC_CODE_KEY');
});

it('a signature covers the lock of libraries for Python, and thereby each wheel', async () => {
  const key = await newKey('lab.pem');
  const lock = (sha256: string): string =>
    lockText({
      ...{ environments: [], requiresPython: null, made: null },
      libraries: [
        {
          ...{ name: 'greeter', version: '1.0', marker: null },
          wheels: [{ name: 'greeter-1.0-py3-none-any.whl', sha256, size: 5 }],
        },
      ],
    });
  rmSync(join(folder, 'own/my_lab/devices/pump/device.ts'));
  put('devices/pump/device.py', 'import greeter\n');
  put('wheels/greeter-1.0-py3-none-any.whl', 'wheel');
  put('pylock.toml', lock('a'.repeat(64)));
  const refused = await svc(['sign', 'own/my_lab', '--key', 'lab.pem']);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('greeter-1.0-py3-none-any.whl is another file than pylock.toml says');

  put('pylock.toml', lock(createHash('sha256').update('wheel').digest('hex')));
  expect(await svc(['sign', 'own/my_lab', '--key', 'lab.pem'])).toMatchObject({ code: 0 });
  const catalog = (): Promise<Catalog> => readCatalog(join(folder, 'own'), key);
  expect((await catalog()).diagnostics).toEqual([]);
  put('pylock.toml', lock('b'.repeat(64)));
  expect((await catalog()).diagnostics.map(({ code, file }) => `${code} ${file}`)).toContain(
    'unsigned_code my_lab/devices/pump/device.py',
  );
});

it('a package with errors is not signed, nor any with a file that has no key', async () => {
  await newKey('lab.pem');
  put('devices/pump/device.ts', 'export default class {');
  const { code, err } = await svc(['sign', 'own/my_lab', '--key', 'lab.pem']);
  expect(code).toBe(1);
  expect(err).toContain('nothing was signed, because the package has errors:');
  put('devices/pump/device.ts', pump('1'));
  expect(await svc(['sign', 'own/my_lab', '--key', 'own/my_lab/package.json'])).toMatchObject({
    ...{ code: 1, out: '' },
    err: 'own/my_lab/package.json: The file has no private key. "svc pkg key new FILE" makes a code key.\n',
  });
  expect((await svc(['sign', 'own/my_lab', '--key', 'absent'])).err).toBe('absent cannot be read: ENOENT\n');
  expect((await svc(['sign', 'own', '--key', 'lab.pem'])).err).toContain('is no package; name the package');
});
