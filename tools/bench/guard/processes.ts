import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '../../shared/measure.js';
import { root } from '../../shared/paths.js';
import { privateMb, processorSeconds, processTree } from '../../shared/processes.js';
import { clientOf } from '../../shared/stack.js';
import type { Comparison } from './calls.js';
import type { Laboratory } from './laboratory.js';
import type { Pair } from './statistics.js';

/** Comparisons of processes: their start, their memory, and the first plan in the life of a process. */

/** Bare processes for each start of the stack, so that the kernel's hundredths of a second do not matter. */
const bareStarts = 3;
/** Milliseconds after which a started stack has nothing left to do. */
const settleMs = 2_500;

export const firstPlan: Comparison = {
  figures: ['first_plan'],
  async round() {
    const program = fileURLToPath(new URL('first-plan.js', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    return { first_plan: JSON.parse(stdout) as Pair };
  },
};

/** Each round starts and stops a stack. */
export const starts = ({ startStack }: Laboratory): Comparison => ({
  figures: ['start', 'memory'],
  async round() {
    const bareSeconds = await secondsOfBareStart();
    const stack = await startStack();
    try {
      const seconds = processorSeconds([stack.pid]);
      const api = clientOf(stack.url);
      await until(
        () => api.get('/api/devices', { query: { state: 'idle' } }),
        ({ items }) => items.length > 0,
      );
      await delay(settleMs);
      const memory = { ours: privateMbOfTree(stack.pid), floor: await idleNodeMb() };
      return { start: { ours: seconds * 1_000, floor: bareSeconds * 1_000 }, memory };
    } finally {
      await stack.stop();
    }
  },
});

const privateMbOfTree = (pid: number): number =>
  processTree(pid).reduce((sum, each) => sum + privateMb(each.pid), 0);

async function idleNodeMb(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6); console.log()']);
  try {
    await once(child.stdout, 'data');
    return privateMb(child.pid ?? 0);
  } finally {
    child.kill('SIGKILL');
  }
}

/**
 * Seconds of processor time of a process that only loads one large library. Unlike a process that loads nothing, it becomes as
 * much faster with a newer Node as the services do.
 */
async function secondsOfBareStart(): Promise<number> {
  // The shell keeps the times of the processes that it started; this process would add its own.
  const shell = spawn(
    'sh',
    [
      '-c',
      `for i in $(seq ${bareStarts}); do "$0" -e 'require("typescript")'; done; echo; read end`,
      process.execPath,
    ],
    { cwd: root },
  );
  try {
    await once(shell.stdout, 'data');
    return processorSeconds([shell.pid ?? 0]) / bareStarts;
  } finally {
    shell.kill('SIGKILL');
  }
}
