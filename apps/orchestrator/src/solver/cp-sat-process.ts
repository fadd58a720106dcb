/**
 * Program of a solver process: it solves one problem at a time with CP-SAT until it is killed. It ends as soon as its
 * parent ends, and not before. A thread of it watches the parent, because a solve blocks the event loop.
 */
import { Socket } from 'node:net';
import { isMainThread, Worker } from 'node:worker_threads';
import { solveExactly, warmUp } from './cp-sat-solving.js';
import { loadCpSat, type CpSat } from './cp-sat.js';
import { lowerProcessPriority } from '../priority/index.js';
import type { SolveOrder, SolverNews } from './cp-sat-messages.js';

if (isMainThread) {
  lowerProcessPriority();
  // The thread alone does not keep this process alive.
  new Worker(new URL(import.meta.url), { execArgv: [] }).unref();
  await serve();
} else watchParent();

async function serve(): Promise<void> {
  let cpSat: CpSat;
  try {
    cpSat = await loadCpSat();
    await warmUp(cpSat);
  } catch (error) {
    tell({ type: 'unavailable', reason: textOf(error) });
    return;
  }
  process.on('message', ({ id, problem, request }: SolveOrder) => {
    void solveExactly(cpSat, problem, request)
      .catch((error: unknown) => ({ answer: nothing, fault: textOf(error) }))
      .then(({ answer, fault }) =>
        tell({ type: 'answer', id, answer, fault, memory: process.memoryUsage.rss() }),
      );
  });
  tell({ type: 'ready' });
}

const nothing = { status: 'unknown', schedule: null, lowerBound: null } as const;

/** Standard input is a pipe that nobody writes to. It closes when the parent ends in any way. */
function watchParent(): void {
  const input = new Socket({ fd: 0, readable: true, writable: false });
  // Ends at once: the native library in the middle of a solve must not run to its end first.
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  input.on('error', end).on('close', end).resume();
}

function tell(news: SolverNews): void {
  process.send?.(news);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
