import type { Timers } from '@lab/ports';

/**
 * Waits for work, but no longer than some milliseconds.
 *
 * @param signal when it fires, the wait ends as well
 * @returns whether the work ended in time
 * @throws the error of the work
 */
export async function within(
  timers: Timers,
  ms: number,
  work: Promise<unknown>,
  signal?: AbortSignal,
): Promise<boolean> {
  let end: () => void = () => undefined;
  const late = new Promise<boolean>((resolve) => {
    const over = (): void => resolve(false);
    const cancel = timers.after(ms, over);
    signal?.addEventListener('abort', over);
    if (signal?.aborted === true) over();
    end = () => {
      cancel();
      signal?.removeEventListener('abort', over);
    };
  });
  return Promise.race([work.then(() => true), late]).finally(end);
}
