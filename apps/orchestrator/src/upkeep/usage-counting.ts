import type { Engine } from '@lab/engine';
import type { Log, Timers } from '@lab/ports';
import { inRounds } from '@lab/runtime';

const plan = { firstMs: 10_000, everyMs: 10_000, failed: 'what is stored could not be counted' };

/**
 * Tells the engine periodically to read what owners and laboratories store, so that it learns of deletions.
 *
 * @returns stops it
 */
export function countUsage(ports: {
  engine: Pick<Engine, 'recountUsage'>;
  timers: Timers;
  log: Log;
}): () => void {
  return inRounds(ports, plan, () => {
    ports.engine.recountUsage();
    return Promise.resolve();
  });
}
