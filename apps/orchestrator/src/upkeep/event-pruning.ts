import type { Clock, Log, Timers } from '@lab/ports';
import type { PostgresStore } from '@lab/persistence';
import { inRounds } from '@lab/runtime';

/** Events in one statement, and milliseconds between two statements, for which a commit may wait. */
const batch = 1_000;
const pauseMs = 50;

const dayMs = 86_400_000;
const plan = { firstMs: 60_000, everyMs: 3_600_000, failed: 'old events could not be removed' };

/**
 * Periodically removes old events, a few at a time; the latest event of each record stays. The first round looks at all
 * events, and a later one only at those that no earlier round has looked at: most of the others stay for ever.
 *
 * @param keptDays days for which events are kept
 * @returns stops it; a statement under way is not waited for
 */
export function pruneEvents(
  ports: { store: Pick<PostgresStore, 'pruneEvents'>; clock: Clock; timers: Timers; log: Log },
  keptDays: number,
): () => void {
  const { store, clock, log } = ports;
  let looked = 0;
  return inRounds(ports, plan, async (pause) => {
    let removed = 0;
    for (let next: number | undefined = looked; next !== undefined; await pause(pauseMs)) {
      looked = next;
      const done = await store.pruneEvents(clock.now() - keptDays * dayMs, looked, batch);
      removed += done.removed;
      next = done.next;
    }
    if (removed > 0) log.info('old events removed', { events: removed, older_than_days: keptDays });
  });
}
