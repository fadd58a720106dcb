import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLock, isStillRunning, LockedError } from '@lab/runtime/light';

/** Windows has no signal that asks a process to end, so a file in the data folder does, on every system. */
const fileOf = (folder: string): string => join(folder, 'stop-requested');
/** Held by the agent of a data folder. */
export const lockOf = (folder: string): string => join(folder, 'svc-agent.lock');
const lookEveryMs = 250;

/**
 * Takes the data folder for this process until its end, and waits for a request to stop.
 *
 * @param stop called once, when a request comes
 * @throws Error when another agent runs on the folder
 */
export function awaitStop(folder: string, stop: () => void): void {
  try {
    acquireLock(lockOf(folder));
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    throw new Error(
      `an agent runs already as process ${error.holder.pid} on ${folder}; stop it with "svc-agent stop", or give this one another folder with --data`,
      { cause: error },
    );
  }
  rmSync(fileOf(folder), { force: true });
  const timer = setInterval(() => {
    if (!existsSync(fileOf(folder))) return;
    clearInterval(timer);
    rmSync(fileOf(folder), { force: true });
    stop();
  }, lookEveryMs);
  timer.unref();
}

/**
 * Asks the agent of a data folder to stop in order, and waits until it has ended.
 *
 * @param withinMs milliseconds
 * @returns the number of its process; undefined when none runs
 * @throws Error when it still runs after the time
 */
export async function requestStop(folder: string, withinMs: number): Promise<number | undefined> {
  if (!existsSync(lockOf(folder))) return undefined;
  try {
    acquireLock(lockOf(folder)).release();
    return undefined;
  } catch (error) {
    if (!(error instanceof LockedError)) throw error;
    const { holder } = error;
    mkdirSync(folder, { recursive: true });
    writeFileSync(fileOf(folder), '', { mode: 0o600 });
    const end = performance.now() + withinMs;
    while (isStillRunning(holder)) {
      if (performance.now() > end) {
        throw new Error(
          `the agent, process ${holder.pid}, still runs after ${withinMs / 1_000} s; its log says why`,
          {
            cause: error,
          },
        );
      }
      await delay(lookEveryMs);
    }
    return holder.pid;
  }
}
