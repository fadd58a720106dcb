import type { Timers } from '@lab/ports';
import { toServiceError } from '@lab/contracts/vocabulary';
import type { Log } from '../log/index.js';

export interface RoundPorts {
  timers: Timers;
  log: Pick<Log, 'warn'>;
}

export interface RoundPlan {
  /** Milliseconds before the first round, because a process has more urgent work after its start. */
  firstMs: number;
  /** Milliseconds between the end of a round and the next one. */
  everyMs: number;
  /** The message for a failed round; the next round tries again. */
  failed: string;
}

/**
 * Repeats work periodically.
 *
 * @param round gets a function that pauses, in milliseconds, between its steps; after the end, a pause never returns
 * @returns ends the rounds; does not wait for the current one
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
