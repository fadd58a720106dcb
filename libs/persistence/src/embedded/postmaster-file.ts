import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf, ifThere } from './binaries.js';

/** What a running server writes about itself in its data folder. */
export interface PostmasterFile {
  pid: number;
  port: number;
  /** `starting`, `ready`, `stopping` or `standby`. */
  status: string;
}

/** Reads the file; undefined when no server runs, or it has not written the whole file yet. */
export async function readPostmasterFile(dataDir: string): Promise<PostmasterFile | undefined> {
  const text = await ifThere(readFile(join(dataDir, 'postmaster.pid'), 'utf8'));
  if (text === undefined) return undefined;
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Math.abs(Number(lines[0]));
  if (!Number.isInteger(pid) || pid === 0) return undefined;
  return { pid, port: Number(lines[3] ?? 0), status: lines[7] ?? '' };
}

/** True while the process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * True when the process is a PostgreSQL server of this data folder. Its id may belong to another process by now,
 * which must not be touched.
 */
export async function servesFolder(pid: number, dataDir: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (process.platform === 'linux') {
    try {
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').includes(dataDir);
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return false;
      throw error;
    }
  }
  const [program, args] =
    process.platform === 'win32'
      ? ['tasklist', ['/FI', `PID eq ${pid}`, '/NH']]
      : ['ps', ['-p', String(pid), '-o', 'args=']];
  const { stdout } = await promisify(execFile)(program, args, { timeout: 5_000, windowsHide: true });
  return process.platform === 'win32' ? stdout.includes('postgres') : stdout.includes(dataDir);
}

/** Resolves to whether the process was gone within the time. */
export async function waitForExit(pid: number, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isAlive(pid)) {
    if (performance.now() >= deadline) return false;
    await delay(10);
  }
  return true;
}
