import { fork, type Serializable } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Spreads work over processes that run a module. */

const workerFlag = '--worker';

/** The list in parts of at most `size`. */
export const inBatches = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));

/**
 * Gives every piece to one of the processes; the next free process takes the next piece.
 *
 * @param url the module that the processes run; it calls {@link serve}
 * @param done is called with each result and awaited
 * @param count most processes
 */
export async function spread<Result>(
  url: string,
  pieces: readonly object[],
  done: (result: Result) => void | Promise<void>,
  count = Math.min(availableParallelism(), 8),
): Promise<void> {
  const waiting = [...pieces];
  const work = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = fork(fileURLToPath(url), [workerFlag], { serialization: 'advanced' });
      const next = (): void => {
        const piece = waiting.shift();
        if (piece === undefined) child.disconnect();
        else child.send(piece as Serializable);
      };
      child.on('message', (result) => {
        (async () => done(result as Result))().then(next, reject);
      });
      child.on('error', reject);
      child.on('exit', (code) =>
        code === 0 ? resolve() : reject(new Error(`a worker exited with ${code}`)),
      );
      next();
    });
  await Promise.all(Array.from({ length: Math.min(count, waiting.length) }, work));
}

/** In a worker: works on each piece that arrives. @returns whether this is a worker */
export function serve<Piece>(work: (piece: Piece) => Promise<object>): boolean {
  if (process.argv[2] !== workerFlag) return false;
  process.on('message', (piece) => void work(piece as Piece).then((result) => process.send?.(result)));
  process.on('disconnect', () => process.exit());
  return true;
}
