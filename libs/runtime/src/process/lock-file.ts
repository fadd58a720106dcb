import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify, isStillRunning, type ProcessIdentity } from './identity.js';

/** Another process holds the lock. */
export class LockedError extends Error {
  override readonly name = 'LockedError';

  constructor(
    readonly path: string,
    readonly holder: ProcessIdentity,
  ) {
    super(`${path} is held by process ${holder.pid}`);
  }
}

export interface FileLock {
  readonly path: string;
  /** Releases the lock. Does nothing when another process holds it. */
  release(): void;
}

const attempts = 20;

/**
 * Takes a lock that ends with its process. The file names the holder by number and start time, so that the lock of a
 * killed process is recognised and taken over.
 *
 * @throws LockedError when a running process holds it
 */
export function acquireLock(path: string): FileLock {
  mkdirSync(dirname(path), { recursive: true });
  const nonce = randomBytes(6).toString('hex');
  const mine = `${JSON.stringify({ ...identify(process.pid), nonce })}\n`;
  const draft = `${path}.${nonce}`;
  writeFileSync(draft, mine, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (tryLink(draft, path)) return { path, release: () => releaseOwn(path, mine) };
      const found = readIfThere(path);
      if (found === undefined) continue;
      const holder = parseHolder(found);
      if (holder !== undefined && isStillRunning(holder)) throw new LockedError(path, holder);
      removeStale(path, found, `${draft}.stale`);
    }
    throw new Error(`${path} cannot be locked: other processes keep taking and leaving it`);
  } finally {
    rmSync(draft, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Two processes may find the same stale file. Renaming decides: a process that moved another file than the stale one
 * it read has moved a fresh lock, and puts it back.
 */
function removeStale(path: string, stale: string, aside: string): void {
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(aside) !== stale) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The process that a lock names; undefined for an invalid file, for example one cut short by a full disk. */
function parseHolder(text: string): ProcessIdentity | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== 'object' || value === null || !('pid' in value)) return undefined;
  const { pid, started } = value as { pid: unknown; started?: unknown };
  return typeof pid === 'number' ? { pid, started: typeof started === 'string' ? started : null } : undefined;
}

function releaseOwn(path: string, mine: string): void {
  if (readIfThere(path) === mine) rmSync(path, { force: true });
}
