import { workKinds, type WorkKind } from '@lab/contracts';
import type { Clock, Log, Timers } from '@lab/ports';
import type { Engine } from '@lab/engine';
import { inRounds } from '@lab/runtime';

/** Pieces of work in one commit, and milliseconds between two commits, for which a decision may wait. */
const batch = 100;
const pauseMs = 50;

const dayMs = 86_400_000;
const plan = { firstMs: 90_000, everyMs: 3_600_000, failed: 'what is old could not be archived' };

/**
 * Periodically archives work that has been over for this many days, oldest first, a few pieces at a time.
 *
 * @returns stops it; archived work stays archived, and a commit under way is not waited for
 */
export function archiveOld(
  ports: { changes: Pick<Engine['changes'], 'archiveOld'>; clock: Clock; timers: Timers; log: Log },
  days: number,
): () => void {
  const { changes, clock, log } = ports;
  return inRounds(ports, plan, async (pause) => {
    const before = clock.now() - days * dayMs;
    const archived: Partial<Record<WorkKind, number>> = {};
    for (const kind of workKinds)
      for (let after: string | undefined = ''; after !== undefined; await pause(pauseMs)) {
        const done = await changes.archiveOld(kind, { before, after, limit: batch });
        if (done.archived > 0) archived[kind] = (archived[kind] ?? 0) + done.archived;
        after = done.next;
      }
    if (Object.keys(archived).length > 0)
      log.info('what is old was archived', { ...archived, older_than_days: days });
  });
}
