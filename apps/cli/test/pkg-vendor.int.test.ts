import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownKind } from '@lab/definitions/model';
import { unverifiedManifest } from '@lab/trust/code-manifest';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { svcHere, type Ran } from './in-process.js';
import './loaded-here.js';

/** npm packages that are packed for computers without a registry. */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-pkg-vendor-'));
  declare('7.0.0');
  put('devices/pump/device.yml', 'type: pump\ndesc: Pumps\n');
  // The package itself is not installed here.
  put(
    'is-number.d.ts',
    "declare module 'is-number' {\n  export default function (value: unknown): boolean;\n}\n",
  );
  put('devices/pump/device.ts', pump(`import isNumber from 'is-number';\nexport const six = isNumber(6);\n`));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const svc = (...args: string[]): Promise<Ran> => svcHere(['pkg', ...args], { folder, env: {} });
const own = (file: string): string => join(folder, 'own/my_lab', file);
const put = (file: string, text: string): void => {
  mkdirSync(dirname(own(file)), { recursive: true });
  writeFileSync(own(file), text);
};
const read = (file: string): string => readFileSync(own(file), 'utf8');
const declare = (version: string): void =>
  put(
    'package.json',
    JSON.stringify({
      ...{ name: 'my_lab', type: 'module', version: '1.2.0' },
      ...{ dependencies: { 'is-number': version }, svc: { external: ['is-number'] } },
    }),
  );
const pump = (before: string): string => `${before}import { BaseDevice } from '@lab/sdk';
export default class Pump extends BaseDevice {
  async _initialize() {}
  async _cleanup() {}
  async _report() {
    return {};
  }
}
`;
interface Listed {
  archives: { file: string; sha256: string; platform: string; dependencies: string[] }[];
}
const listed = (): Listed => JSON.parse(read('vendor/archives.json')) as Listed;

it('packs what the code imports, the same each time, and keeps archives for other kinds of computers', async () => {
  const { code, out } = await svc('vendor', 'own/my_lab');
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^packed is-number@7\.0\.0: wrote vendor\/\S+, 0\.0 MiB\n$/),
  ]);
  const [archive] = listed().archives;
  expect(archive).toMatchObject({ dependencies: ['is-number@7.0.0'], ...ownKind() });
  const [lock = ''] = readdirSync(own('vendor')).filter((name) => name.endsWith('-lock.json'));
  expect(read(`vendor/${lock}`)).toContain('"integrity"');
  expect(read(`vendor/${lock}`)).not.toContain('http');
  const other = { ...archive, platform: 'win32-x64', file: 'vendor/other.tar.gz' };
  put('vendor/other.tar.gz', 'of another computer');
  put('vendor/archives.json', JSON.stringify({ archives: [archive, other] }));
  expect((await svc('vendor', 'own/my_lab')).code).toBe(0);
  expect(
    listed()
      .archives.map(({ sha256, platform }) => [sha256, platform])
      .sort(),
  ).toEqual(
    [
      [archive?.sha256, ownKind().platform],
      [archive?.sha256, 'win32-x64'],
    ].sort(),
  );
});

it('removes archives of packages that no code imports any more, and replaces a version', async () => {
  await svc('vendor', 'own/my_lab');
  const [before] = listed().archives;
  declare('6.0.0');
  expect((await svc('vendor', 'own/my_lab')).out).toContain('packed is-number@6.0.0');
  expect(listed().archives.map(({ dependencies }) => dependencies)).toEqual([['is-number@6.0.0']]);
  expect(readdirSync(own('vendor'))).not.toContain(before?.file.slice('vendor/'.length));
});

it('is signed with the code, and the check says when an archive is missing or another one', async () => {
  await svc('vendor', 'own/my_lab');
  await svc('key', 'new', 'lab.pem');
  expect((await svc('sign', 'own/my_lab', '--key', 'lab.pem')).code).toBe(0);
  const { manifest } = JSON.parse(read('code-manifest.json')) as { manifest: object };
  const text = Buffer.from(JSON.stringify(manifest)).toString('base64url');
  const [archive] = listed().archives;
  expect(unverifiedManifest(text)?.archives?.map(({ sha256 }) => sha256)).toEqual([archive?.sha256]);
  expect((await svc('check', 'own')).out).not.toContain('archives');
  const file = archive?.file ?? '';
  const whole = readFileSync(own(file));
  writeFileSync(own(file), Buffer.concat([whole.subarray(0, -1), Buffer.from([0xff])]));
  expect(await svc('sign', 'own/my_lab', '--key', 'lab.pem')).toMatchObject({
    code: 1,
    err: expect.stringContaining('is another file than vendor/archives.json says') as string,
  });
  rmSync(own(file));
  const { code, out } = await svc('check', 'own');
  expect([code, out]).toEqual([0, expect.stringContaining(`it names ${file}, which is missing`) as string]);
  expect(out).toContain('other archives of npm packages were signed');
});

it('says in one sentence why nothing was packed, and leaves what was there', async () => {
  put('devices/pump/device.ts', pump(''));
  expect(await svc('vendor', 'own/my_lab')).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'imports an npm package that "svc.external" of its package.json names',
    ) as string,
  });
  declare('7.0.999');
  put('devices/pump/device.ts', pump(`import isNumber from 'is-number';\nexport const six = isNumber(6);\n`));
  expect(await svc('vendor', 'own/my_lab')).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      /nothing was packed, because npm could not install is-number@7\.0\.999: notarget/,
    ) as string,
  });
  expect(readdirSync(own('vendor'))).toEqual([]);
  put('vendor/archives.json', '{');
  declare('7.0.0');
  expect((await svc('vendor', 'own/my_lab')).err).toContain('is damaged; remove it');
  expect(read('vendor/archives.json')).toBe('{');
});
