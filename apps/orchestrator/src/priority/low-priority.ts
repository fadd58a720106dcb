import { readdirSync, readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Steps of niceness below the service. A thread then gets about a tenth of a busy processor. */
const steps = 10;
const lowest = 19;

/**
 * Gives this thread a low priority: a better plan is worth nothing if the planned tasks take longer because of the
 * search. On Linux each thread has its own priority; elsewhere nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    lower(Number(basename(readlinkSync('/proc/thread-self'))));
  } catch {
    // The search keeps its priority.
  }
}

/** As {@link lowerThreadPriority}, for all threads of this process and those that they start. */
export function lowerProcessPriority(): void {
  try {
    for (const thread of readdirSync('/proc/self/task')) lower(Number(thread));
  } catch {
    // The solver keeps its priority.
  }
}

function lower(thread: number): void {
  setPriority(thread, Math.min(lowest, getPriority(thread) + steps));
}
