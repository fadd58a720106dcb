// Spreads pieces of work over worker threads of this same file's caller.
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/**
 * Has every piece done by one of as many workers as there are processors.
 *
 * @param url the module that the workers run; it calls {@link serve}
 * @param pieces taken one after the other, each by whichever worker is free
 * @param done hears of each result
 */
export async function spread(url, pieces, done) {
  const waiting = [...pieces].reverse();
  const count = Math.max(1, Math.min(availableParallelism(), 8, waiting.length));
  await Promise.all(
    Array.from({ length: count }, () => {
      const worker = new Worker(url);
      return new Promise((resolve, reject) => {
        const next = () =>
          worker.postMessage(waiting.length === 0 ? { end: true } : { piece: waiting.pop() });
        worker.on('message', (result) => {
          done(result);
          next();
        });
        worker.on('error', reject);
        worker.on('exit', resolve);
        next();
      });
    }),
  );
}

/** In a worker: does what is asked for until there is no more. @returns whether this is a worker */
export function serve(work) {
  if (isMainThread) return false;
  parentPort.on('message', async ({ end, piece }) => {
    if (end) parentPort.close();
    else parentPort.postMessage(await work(piece));
  });
  return true;
}

/** A number of an option. */
export function whole(flag, text) {
  const number = Number(text);
  if (text !== '' && Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`${flag} needs a whole number, not "${text}"`);
  process.exit(2);
}
