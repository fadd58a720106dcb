import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/** Spreads work over worker threads that run the module of the caller. */

interface Order<Piece> {
  piece?: Piece;
  isLast: boolean;
}

/** The list in parts of at most `size`. */
export const inBatches = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));

/**
 * Gives every piece to one of the workers, of which there is one per processor and at most 8.
 *
 * @param url the module that the workers run; it calls {@link serve}
 * @param pieces the next free worker takes the next piece
 * @param done is called with each result
 */
export async function spread<Piece, Result>(
  url: URL,
  pieces: readonly Piece[],
  done: (result: Result) => void,
): Promise<void> {
  const waiting = [...pieces].reverse();
  const count = Math.max(1, Math.min(availableParallelism(), 8, waiting.length));
  await Promise.all(
    Array.from({ length: count }, () => {
      const worker = new Worker(url);
      return new Promise<void>((resolve, reject) => {
        const next = (): void => {
          const isLast = waiting.length === 0;
          const order: Order<Piece> = isLast ? { isLast } : { isLast, piece: waiting.pop() as Piece };
          worker.postMessage(order);
        };
        worker.on('message', (result: Result) => {
          done(result);
          next();
        });
        worker.on('error', reject);
        worker.on('exit', () => resolve());
        next();
      });
    }),
  );
}

/** In a worker: works on each piece until there is none left. @returns whether this is a worker */
export function serve<Piece, Result>(work: (piece: Piece) => Promise<Result>): boolean {
  const parent = parentPort;
  if (isMainThread || parent === null) return false;
  parent.on('message', ({ isLast, piece }: Order<Piece>) => {
    if (isLast) parent.close();
    else void work(piece as Piece).then((result) => parent.postMessage(result));
  });
  return true;
}
