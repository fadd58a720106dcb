/**
 * Program of a solver process: solves one problem at a time with CP-SAT, until it is killed. It does not end by itself as
 * long as its parent lives, and not a moment later: a thread of it watches, for a solve blocks the event loop.
 */
import { Socket } from 'node:net';
import { isMainThread, Worker } from 'node:worker_threads';
import { solveExactly, warmUp } from './cp-sat-solving.js';
import { loadCpSat, type CpSat } from './cp-sat.js';
import { lowerProcessPriority } from '../priority/index.js';
import type { SolveOrder, SolverNews } from './cp-sat-messages.js';

if (isMainThread) {
  lowerProcessPriority();
  // It has nothing to do with the end of this program by itself.
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

/** Standard input is a pipe that nobody writes to, and that ends when the parent does, in whatever way. */
function watchParent(): void {
  const input = new Socket({ fd: 0, readable: true, writable: false });
  // Nothing of a native library in the middle of a solve runs to its end first.
  const end = (): void => void process.kill(process.pid, 'SIGKILL');
  input.on('error', end).on('close', end).resume();
}

function tell(news: SolverNews): void {
  process.send?.(news);
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
