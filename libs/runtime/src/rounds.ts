import { toServiceError } from '@lab/contracts';
import type { Log } from './log.js';

export interface RoundPorts {
  timers: { after(ms: number, callback: () => void): () => void };
  log: Pick<Log, 'warn'>;
}

export interface RoundPlan {
  /** Before the first round, in milliseconds: who has just begun has better things to do. */
  firstMs: number;
  /** Between the end of a round and the next one, in milliseconds. */
  everyMs: number;
  /** What the log says of a round that failed; the next one tries again. */
  failed: string;
}

/**
 * Does something again and again.
 *
 * @param round is given a pause, in milliseconds, for what it does little by little; after the end it never comes back
 * @returns ends it; what is under way is not waited for
 */
export function inRounds(
  { timers, log }: RoundPorts,
  { firstMs, everyMs, failed }: RoundPlan,
  round: (pause: (ms: number) => Promise<void>) => Promise<void>,
): () => void {
  let stopped = false;
  let cancel = (): void => undefined;
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      if (!stopped) cancel = timers.after(ms, resolve);
    });
  const forEver = async (): Promise<void> => {
    for (await pause(firstMs); ; await pause(everyMs))
      await round(pause).catch((error: unknown) =>
        log.warn(failed, { reason: toServiceError(error).message }),
      );
  };
  void forEver();
  return () => {
    stopped = true;
    cancel();
  };
}
