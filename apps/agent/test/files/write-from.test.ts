import { pbkdf2 } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Transform } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeFrom } from '../../src/files/index.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lab-writing-'));
  path = join(folder, 'file');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const content = (): Readable => Readable.from([Buffer.from('one '), Buffer.from('two')]);
const refuse = (): Transform =>
  new Transform({
    transform: (_piece, _encoding, done) => done(new Error('too long')),
  });

it.each([
  ['w', 'one two'],
  ['a', 'before one two'],
] as const)('writes a stream to a file with the flags %s', async (flags, expected) => {
  writeFileSync(path, 'before ');
  await writeFrom(content(), new PassThrough(), path, { flags, mode: 0o600, flush: true });
  expect(readFileSync(path, 'utf8')).toBe(expected);
});

it('lets no file appear after it has failed, however slow the disk is', async () => {
  // Work for all threads that also open files: the failure comes first.
  const busy = Array.from({ length: 8 }, () => promisify(pbkdf2)('a', 'b', 50_000, 64, 'sha512'));
  await expect(writeFrom(content(), refuse(), path, { flags: 'w', mode: 0o600 })).rejects.toThrow('too long');
  rmSync(path);
  await Promise.all(busy);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(existsSync(path)).toBe(false);
});

it('gives up its source when the file cannot be opened, or is not to be written', async () => {
  writeFileSync(path, 'before');
  const source = content();
  await expect(writeFrom(source, new PassThrough(), path, { flags: 'wx', mode: 0o600 })).rejects.toThrow(
    'EEXIST',
  );
  expect(source.destroyed).toBe(true);
  const next = content();
  const opened = (): Promise<void> => Promise.reject(new Error('of somebody else'));
  await expect(writeFrom(next, new PassThrough(), path, { flags: 'w', mode: 0o600, opened })).rejects.toThrow(
    'of somebody else',
  );
  expect(next.destroyed).toBe(true);
});
