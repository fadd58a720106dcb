import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isServiceError } from '@lab/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackageIndex, requireSound } from '../../src/definitions/package-index.js';

const sound: Record<string, string> = {
  'demo/package.json': '{"type": "module"}',
  'demo/shared/speed.ts': 'export const speed = 1;\n',
  'demo/laboratories/lab/lab.yml':
    'name: lab\ndesc: x\ndevices: {pump1: {type: pump, computer: svc_computer}}\n',
  'demo/laboratories/other/lab.yml': 'name: other\ndesc: x\ndevices: {}\n',
  'demo/devices/pump/device.yml': 'type: pump\ndesc: x\n',
  'demo/devices/pump/device.ts':
    "import { speed } from '../../shared/speed.js';\nimport usb from 'usb';\nconsole.log(speed, usb);\n",
  'demo/node_modules/usb/package.json': '{"name": "usb"}',
  'demo/node_modules/usb/index.js': 'module.exports = 1;\n',
};

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'package-index-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(files: Record<string, string>): Promise<{ userDir: string; dataDir: string }> {
  const userDir = join(root, 'user');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(userDir, path)), { recursive: true });
    await writeFile(join(userDir, path), text);
  }
  return { userDir, dataDir: join(root, 'data') };
}

async function refusal(lab: string, files: Record<string, string>): Promise<string[]> {
  const { catalog } = await PackageIndex.read(await write({ ...sound, ...files }));
  try {
    requireSound(catalog, 'lab', [lab], 'lab_types');
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return error.faults.map(({ file, code }) => `${file} ${code}`);
  }
}

describe('a laboratory with an unusable device type', () => {
  const cases: [why: string, files: Record<string, string>, fault: string][] = [
    [
      'package.json is wrong',
      { 'demo/package.json': '{"svc": {"external": ["usb"]}}' },
      'demo/package.json missing_dependency',
    ],
    [
      'of a file that its code imports',
      { 'demo/shared/speed.ts': 'export const;\n' },
      'demo/shared/speed.ts code',
    ],
    [
      'of its own file',
      { 'demo/devices/pump/device.yml': 'type: pump\n' },
      'demo/devices/pump/device.yml missing_key',
    ],
  ];
  it.each(cases)('gets an error when %s', async (_why, files, fault) => {
    expect(await refusal('lab', {})).toEqual([]);
    expect(await refusal('lab', files)).toEqual([fault, 'demo/laboratories/lab/lab.yml depends_on_broken']);
    expect(await refusal('other', files)).toEqual([]);
  });
});

describe('the computers of the laboratories on disk', () => {
  const path = 'demo/laboratories/far/lab.yml';
  const naming = (computer: string): string =>
    `name: far\ndesc: x\ncomputers: {${computer}: {ip: 192.0.2.1}}\ndevices: {}\n`;

  it('are read again for a computer that is not among them', async () => {
    const index = await PackageIndex.read(await write({ ...sound, [path]: naming('bench_b') }));
    await write({ [path]: naming('bench_c') });
    expect(await index.computers('bench_b')).toEqual(new Set(['svc_computer', 'bench_b']));
    expect(await index.computers('bench_c')).toEqual(new Set(['svc_computer', 'bench_c']));
  });

  it('are not known while a laboratory has errors', async () => {
    const index = await PackageIndex.read(await write({ ...sound, [path]: 'name: far\n' }));
    expect(await index.computers('bench_b')).toBeNull();
  });
});
