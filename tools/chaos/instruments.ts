import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The logs of the simulated instruments, which record what happened physically. */

/** One motion. Times are milliseconds since 1970. */
export interface Motion {
  /** In evidence `<lab>.<device>`. */
  device: string;
  /** `<attempt>/<number of the call>` */
  call_id: string;
  at: number;
  /** When the motion is over, whether or not anybody watches. */
  until: number;
  /** Undefined while the log has no end. */
  end: number | undefined;
}

/** What a task wrote to a file of its own just before it returned. */
export interface Returned {
  attempt: string;
  token: string;
  moved: number;
  bytes: number;
  sha256: string;
}

interface Entry {
  phase: 'begin' | 'end';
  call_id: string;
  at: number;
  until?: number;
}

function linesOf<T>(path: string): T[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

const logOf = (folder: string, device: string): string => join(folder, `${device}.log`);

/** The motions of one instrument, oldest first. */
export function readMotions(folder: string, device: string): Motion[] {
  const motions: Motion[] = [];
  const open = new Map<string, Motion>();
  for (const { phase, call_id, at, until = at } of linesOf<Entry>(logOf(folder, device))) {
    if (phase === 'begin') {
      const motion = { device, call_id, at, until, end: undefined };
      motions.push(motion);
      open.set(call_id, motion);
    } else {
      const motion = open.get(call_id);
      if (motion !== undefined) motion.end = at;
      open.delete(call_id);
    }
  }
  return motions;
}

/** Records the end of a motion that nobody watched. */
export function endMotion(folder: string, { device, call_id }: Motion, by: string): void {
  const entry = { phase: 'end', call_id, at: Date.now(), by };
  appendFileSync(logOf(folder, device), `${JSON.stringify(entry)}\n`);
}

/** What the tasks wrote just before they returned. */
export const readReturns = (folder: string): Returned[] => linesOf<Returned>(join(folder, 'tasks.log'));
