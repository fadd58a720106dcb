import type { LogLines } from '@lab/persistence';
import { inRounds, type RoundPorts } from '@lab/runtime';
import type { Log } from '@lab/ports';

const dayMs = 86_400_000;
const plan = { firstMs: 60_000, everyMs: 600_000, failed: 'old lines could not be removed' };

/**
 * Removes old lines at intervals. It logs errors and tries again in the next round.
 *
 * @param keep days for which lines are kept, and maximum number of lines
 * @returns stops it without waiting for a round that is under way
 */
export function pruneLogs(
  lines: Pick<LogLines, 'prune'>,
  keep: { keep_days: number; max_lines: number },
  ports: {
    clock: { now(): number };
    timers: RoundPorts['timers'];
    log: Pick<Log, 'info' | 'warn'>;
  },
): () => void {
  const { clock, timers, log } = ports;
  return inRounds({ timers, log }, plan, async () => {
    const removed = await lines.prune(clock.now() - keep.keep_days * dayMs, keep.max_lines);
    if (removed > 0) log.info('old lines removed', { lines: removed });
  });
}
