import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../src/process/identity.js';
import { acquireLock, LockedError } from '../../src/process/lock-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a lock', () => {
  it('is refused while its holder runs, and the error names the holder', () => {
    const lock = acquireLock(path);
    try {
      acquireLock(path);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(LockedError);
      expect((error as LockedError).holder.pid).toBe(process.pid);
    }
    lock.release();
    acquireLock(path).release();
  });

  it('of an ended process is taken over', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    writeFileSync(path, JSON.stringify(identify(child.pid ?? 0)));
    expect(() => acquireLock(path)).toThrow(LockedError);
    child.kill('SIGKILL');
    await once(child, 'exit');
    acquireLock(path).release();
  });

  it('is taken over when its number belongs to another process', () => {
    writeFileSync(path, JSON.stringify({ pid: process.pid, started: 'long ago' }));
    acquireLock(path).release();
  });

  it('is taken over when its file is truncated', () => {
    writeFileSync(path, '{"pid":12');
    const lock = acquireLock(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    lock.release();
  });

  it('leaves no file after its release, and a release does not remove the lock of another holder', () => {
    const lock = acquireLock(path);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(path, 'of another');
    lock.release();
    expect(existsSync(path)).toBe(true);
  });
});
