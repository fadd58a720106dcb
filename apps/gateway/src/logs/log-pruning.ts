import { toServiceError } from '@lab/contracts';
import type { LogLines } from '@lab/persistence';
import type { Log } from '../ports.js';

/** Between two rounds, in milliseconds. */
const roundMs = 600_000;
/** Before the first one, in milliseconds: a service that begins has better things to do. */
const firstMs = 60_000;
const dayMs = 86_400_000;

/**
 * Forgets old lines, again and again. Errors are logged, and the next round tries again.
 *
 * @param keep for how many days a line is kept, and how many of them at most
 * @returns ends it; what is under way is not waited for
 */
export function pruneLogs(
  lines: Pick<LogLines, 'prune'>,
  keep: { keep_days: number; max_lines: number },
  ports: {
    clock: { now(): number };
    timers: { after(ms: number, callback: () => void): () => void };
    log: Pick<Log, 'info' | 'warn'>;
  },
): () => void {
  const { clock, timers, log } = ports;
  let stopped = false;
  let cancel: () => void = () => undefined;
  const next = (ms: number): void => {
    if (!stopped) cancel = timers.after(ms, () => void round());
  };
  const round = async (): Promise<void> => {
    try {
      const removed = await lines.prune(clock.now() - keep.keep_days * dayMs, keep.max_lines);
      if (removed > 0) log.info('old lines removed', { lines: removed });
    } catch (error) {
      log.warn('old lines could not be removed', { reason: toServiceError(error).message });
    }
    next(roundMs);
  };
  next(firstMs);
  return () => {
    stopped = true;
    cancel();
  };
}
