import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError, type ModuleReference } from '@lab/contracts';
import { lockText, type LockedLibrary, type PythonLock } from '@lab/definitions/environments';
import { makeWheel, withoutPip, type TestWheel } from '@lab/testkit/python';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FilePiece } from '../src/fetched-file.js';
import { PythonEnvironments } from '../src/python-environments.js';
import { Python } from '../src/python.js';
import { RecordedLog } from './recorded-log.js';

/** Environments built by the Python of this computer, from wheels that the test makes. */

const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
const day = 86_400_000;

let base: string;
let folder: string;
let log: RecordedLog;
let files: Map<string, Buffer>;
let fetched: string[];
const python = new Python();
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'lab-environments-'));
  folder = join(base, 'environments');
  log = new RecordedLog();
  files = new Map();
  fetched = [];
  await python.find();
});
afterEach(() => rm(base, { recursive: true, force: true }));

const piece: FilePiece = async (hash, offset) => {
  const content = files.get(hash);
  if (content === undefined)
    throw new ServiceError('not_found', `no package has a file with the SHA-256 ${hash}`);
  fetched.push(hash);
  return { data: content.subarray(offset, offset + 500), total: content.length };
};

const greeter = (tags?: string): TestWheel =>
  makeWheel(join(base, 'made'), {
    ...{ name: 'greeter', version: '1.0.0', files: { 'greeter/__init__.py': 'GREETING = "good morning"\n' } },
    ...(tags === undefined ? {} : { tags }),
  });

function locked(wheels: readonly TestWheel[], change: Partial<PythonLock> = {}): ModuleReference {
  const library = { name: 'greeter', version: '1.0.0', marker: null, wheels: [...wheels] };
  const lock = { environments: [], requiresPython: null, libraries: [library], made: null, ...change };
  const text = Buffer.from(lockText(lock));
  files.set(sha256(text), text);
  for (const { sha256: hash, content } of wheels) files.set(hash, content);
  return {
    hash: '',
    package: 'color_lab',
    source: 'device.py',
    runtime: 'python',
    environment: sha256(text),
  };
}

function run(program: string): string {
  const code = 'import greeter, sys; print(greeter.GREETING, sys.flags.isolated)';
  return spawnSync(program, ['-I', '-c', code], { encoding: 'utf8' }).stdout.trim();
}

describe.skipIf(withoutPip())('environments of Python', () => {
  it('are built once for requests at once, and found again by the next process', async () => {
    const module = locked([greeter()]);
    const environments = new PythonEnvironments(folder, python, log);
    await Promise.all([environments.provide(module, piece), environments.provide(module, piece)]);
    expect(run(environments.program(module.environment))).toBe('good morning 1');
    expect(run(environments.program(undefined))).toBe('');
    expect(fetched.filter((hash) => hash === module.environment)).toHaveLength(1);
    expect((await readdir(folder)).sort()).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}-[0-9a-f]{12}$/),
      expect.stringMatching(/^[0-9a-f]{64}\.json$/),
    ]);

    fetched = [];
    const next = new PythonEnvironments(folder, python, log);
    await next.removeUnused(Date.now() + 29 * day);
    await next.provide(module, piece);
    expect([fetched, next.program(module.environment)]).toEqual([
      [],
      environments.program(module.environment),
    ]);

    // What a crash leaves behind is not used, and removed.
    const names = await readdir(folder);
    const marker = names.find((name) => name.endsWith('.json')) ?? '';
    await writeFile(join(folder, marker), '{"lock": "of a crash');
    const third = new PythonEnvironments(folder, python, log);
    await third.provide(module, piece);
    expect(third.program(module.environment)).not.toBe(environments.program(module.environment));
    expect(run(third.program(module.environment))).toBe('good morning 1');
    await third.removeUnused(Date.now());
    expect(await readdir(folder)).toHaveLength(2);

    await utimes(join(folder, marker), new Date(0), new Date(Date.now() - 31 * day));
    await third.removeUnused(Date.now());
    expect(await readdir(folder)).toEqual([]);
  });

  it.each<[string, () => ModuleReference, string]>([
    [
      'no wheel fits',
      () => locked([greeter('cp39-cp39-win_arm64')]),
      'the lock has no wheel of greeter 1.0.0 that fits: greeter-1.0.0-cp39-cp39-win_arm64.whl; lock the package for this computer too, with "svc pkg lock color_lab" and the option --platform or --python, and load it again',
    ],
    [
      'the lock is for other computers',
      () => locked([greeter()], { environments: ['sys_platform == "plan9"'] }),
      'the lock is for sys_platform == "plan9" alone',
    ],
    [
      'the lock is for another Python',
      () => locked([greeter()], { requiresPython: '>=4' }),
      'the lock needs Python >=4, and there is Python 3.',
    ],
    [
      'a wheel is not at the service',
      () => {
        const [made] = [greeter()];
        const module = locked([made]);
        files.delete(made.sha256);
        return module;
      },
      'the service does not have the wheel greeter-1.0.0-py3-none-any.whl of the package color_lab: no package has a file',
    ],
    [
      'another wheel comes',
      () => {
        const made = greeter();
        const module = locked([made]);
        files.set(made.sha256, Buffer.alloc(made.size));
        return module;
      },
      'what came for the wheel greeter-1.0.0-py3-none-any.whl of the package color_lab is another file: it has another SHA-256',
    ],
    [
      'a longer wheel comes',
      () => {
        const made = greeter();
        const module = locked([made]);
        files.set(made.sha256, Buffer.alloc(made.size + 1));
        return module;
      },
      'bytes, and ',
    ],
    [
      'another lock comes',
      () => {
        const module = locked([greeter()]);
        files.set(module.environment ?? '', Buffer.from('lock-version = "1.0"\n'));
        return module;
      },
      'is another file: it has another SHA-256',
    ],
    [
      'what was locked is no wheel',
      () => {
        const content = Buffer.from('no archive');
        return locked([{ ...greeter(), content, size: content.length, sha256: sha256(content) }]);
      },
      'the libraries of the package color_lab cannot be installed on ',
    ],
  ])('are refused in one sentence when %s, and leave nothing', async (_, offer, why) => {
    const environments = new PythonEnvironments(folder, python, log);
    await expect(environments.provide(offer(), piece)).rejects.toThrow(why);
    expect(await readdir(folder)).toEqual([]);
    // A failure is no answer for the next request.
    const module = locked([greeter()]);
    if (why.includes('no wheel')) await environments.provide(module, piece);
  });

  it('take the wheels of an earlier lock, and fetch those that are new', async () => {
    const library = (name: string, says: string): LockedLibrary & { wheels: TestWheel[] } => {
      const content = { [`${name}/__init__.py`]: `GREETING = ${JSON.stringify(says)}\n` };
      const wheel = makeWheel(join(base, 'made'), { name, version: '1.0.0', files: content });
      return { name, version: '1.0.0', marker: null, wheels: [wheel] };
    };
    const kept = ['apple', 'pear', 'plum'].map((name) => library(name, 'a fruit'));
    const lockOf = (greeting: string): { module: ModuleReference; wheel: string } => {
      const changed = library('greeter', greeting);
      const wheels = [...kept, changed].flatMap((each) => each.wheels);
      const module = locked(wheels, { libraries: [...kept, changed] });
      return { module, wheel: changed.wheels[0]?.sha256 ?? '' };
    };
    const [before, after] = [lockOf('good morning'), lockOf('good evening')];
    const environments = new PythonEnvironments(folder, python, log);
    await environments.provide(before.module, piece);
    expect(new Set(fetched).size).toBe(5);
    fetched = [];
    // The next process finds them, too.
    const next = new PythonEnvironments(folder, python, log);
    await next.removeUnused(Date.now());
    await next.provide(after.module, piece);
    expect(new Set(fetched)).toEqual(new Set([after.module.environment, after.wheel]));
    expect(run(next.program(after.module.environment))).toBe('good evening 1');
    await next.removeUnused(Date.now() + 31 * day);
    expect(await readdir(join(base, 'wheels'))).toEqual([]);
  });

  it('are given up when the process stops', async () => {
    const environments = new PythonEnvironments(folder, python, log);
    const slow: FilePiece = async (hash, offset) => {
      await environments.close();
      return piece(hash, offset);
    };
    const module = locked([greeter()]);
    const provided = environments.provide(module, (hash, offset) =>
      offset === 0 ? piece(hash, offset) : slow(hash, offset),
    );
    void environments.close();
    await expect(provided).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
