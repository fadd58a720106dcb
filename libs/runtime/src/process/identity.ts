import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process even after the system has reused its number. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in the format of the system; null when it cannot be known. */
  started: string | null;
}

/** The identity of a running process; undefined when there is none with that number. */
export function identify(pid: number): ProcessIdentity | undefined {
  return isAlive(pid) ? { pid, started: startOf(pid) } : undefined;
}

/** True while this very process runs. If the start time is unknown, a process with the same number counts as it. */
export function isStillRunning(process: ProcessIdentity): boolean {
  if (!isAlive(process.pid)) return false;
  const started = startOf(process.pid);
  return started === null || process.started === null || started === process.started;
}

/**
 * Sends a signal to this very process.
 *
 * @returns false when it no longer runs
 * @throws Error when the signal is not permitted
 */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isStillRunning(target)) return false;
  try {
    process.kill(target.pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

function isZombie(pid: number): boolean {
  return statFields(pid)?.[0] === 'Z';
}

/** Fields of /proc/<pid>/stat from the third (state) on. The second is a name in brackets with any characters. */
function statFields(pid: number): string[] | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

function startOf(pid: number): string | null {
  if (process.platform === 'linux') return statFields(pid)?.[19] ?? null;
  if (process.platform === 'win32') return null;
  const ps = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 2_000 });
  const text = ps.status === 0 ? ps.stdout.trim() : '';
  return text === '' ? null : text;
}
