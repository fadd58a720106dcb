import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../shared/paths.js';

interface Ended {
  code: number;
  out: string;
}

const run = (program: string, ...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [join(root, program), ...args], { cwd: root }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out: `${out}${err}` }),
    );
  });
/** Null: the folder is no repository. */
const commitOf = (folder: string): Promise<string | null> =>
  new Promise((resolve) => {
    execFile('git', ['rev-parse', 'HEAD'], { cwd: folder }, (error, out) =>
      resolve(error === null ? out.trim() : null),
    );
  });
const svc = (...args: string[]): Promise<Ended> => run('apps/cli/bin/svc.mjs', ...args);

let folder: string;
let key: string;
let tarball: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-provenance-'));
  const made = await svc('pkg', 'key', 'new', join(folder, 'release.pem'));
  [key = ''] = /svc_code_[\w-]+/.exec(made.out) ?? [];
  const packed = await run(
    'tools/run.mjs',
    'npm/npm',
    '--of',
    'nx',
    '--out',
    folder,
    '--key',
    join(folder, 'release.pem'),
  );
  expect([packed.code, packed.out]).toEqual([0, expect.stringContaining('provenance.intoto.jsonl')]);
  [tarball = ''] = /\S+\.tgz/.exec(packed.out) ?? [];
}, 60_000);
afterAll(() => rm(folder, { recursive: true }));

const verify = (file: string, ...more: string[]): Promise<Ended> =>
  svc('release', 'verify', file, '--provenance', join(folder, 'provenance.intoto.jsonl'), ...more);

it('a packed release is as it was built, by its signed provenance', async () => {
  const { code, out } = await verify(tarball, '--key', key, '--json');
  const lock = await readFile(join(root, 'package-lock.json'));
  expect([code, JSON.parse(out)]).toEqual([
    0,
    {
      ok: true,
      files: [
        { file: tarball, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string, verdict: 'as built' },
      ],
      signed_by: key,
      builder: 'urn:lab-orchestration-service:own-computer',
      commit: await commitOf(root),
      changed_sources: expect.any(Boolean) as boolean,
      lock: createHash('sha256').update(lock).digest('hex'),
    },
  ]);
});

it('a file that was changed, and one of another build, are found', async () => {
  await copyFile(tarball, join(folder, 'other.tgz'));
  expect(await verify(join(folder, 'other.tgz'), '--key', key)).toMatchObject({
    code: 1,
    out: expect.stringContaining('NOT IN THE PROVENANCE') as string,
  });
  await appendFile(tarball, 'x');
  expect(await verify(tarball, '--key', key)).toMatchObject({
    code: 1,
    out: expect.stringContaining('CHANGED') as string,
  });
});

it('a signed provenance is not read without its key, or with another one', async () => {
  const other = `svc_code_${'A'.repeat(43)}`;
  expect(await verify(tarball, '--key', other)).toMatchObject({ code: 1 });
  expect(await verify(tarball, '--unsigned')).toMatchObject({
    code: 1,
    out: expect.stringContaining('name the key') as string,
  });
  expect(await verify(tarball)).toMatchObject({ code: 2 });
});
