import type { LogLines } from '@lab/persistence';
import { inRounds, type RoundPorts } from '@lab/runtime';
import type { Log } from '@lab/ports';

const dayMs = 86_400_000;
const plan = { firstMs: 60_000, everyMs: 600_000, failed: 'old lines could not be removed' };

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
