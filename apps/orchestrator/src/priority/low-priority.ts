import { readdirSync, readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Steps of niceness below the service: about a tenth of a processor for which the service or tasks compete. */
const steps = 10;
const lowest = 19;

/**
 * Lets everything else on a busy machine go before this thread: better plans are worth nothing if the tasks that they plan
 * take longer for it. On Linux each thread has a priority of its own; elsewhere nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    lower(Number(basename(readlinkSync('/proc/thread-self'))));
  } catch {
    // It searches as urgently as before.
  }
}

/** As {@link lowerThreadPriority}, for all threads of this process and those that they start. */
export function lowerProcessPriority(): void {
  try {
    for (const thread of readdirSync('/proc/self/task')) lower(Number(thread));
  } catch {
    // It solves as urgently as before.
  }
}

function lower(thread: number): void {
  setPriority(thread, Math.min(lowest, getPriority(thread) + steps));
}
