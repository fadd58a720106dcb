import { workKinds, type DeletionScope } from '@lab/contracts';
import type { Engine } from '@lab/engine';
import type { PostgresStore } from '@lab/persistence';
import type { Clock, Log, Timers } from '@lab/ports';
import { inRounds } from '@lab/runtime';

/** Records in one statement, and milliseconds between two statements, for which a commit may wait. */
const portion = 200;
/** Pieces of work in one commit. */
const batch = 100;
const pauseMs = 50;

const dayMs = 86_400_000;
const sweeping = { firstMs: 5_000, everyMs: 5_000, failed: 'work could not be deleted' };
const looking = { firstMs: 120_000, everyMs: 3_600_000, failed: 'what is old could not be deleted' };

/**
 * Begins deletions that are due and removes their records when the gateway has removed their files, a portion at a time. Another
 * leader goes on where this one stops.
 *
 * @returns stops it; a statement under way is not waited for
 */
export function sweepDeletions(ports: {
  deletions: Pick<Engine['deletions'], 'begin' | 'finish'>;
  store: Pick<PostgresStore, 'filesRemoved' | 'removeRecords'>;
  clock: Clock;
  timers: Timers;
  log: Log;
}): () => void {
  const { deletions, store, clock, log } = ports;
  return inRounds(ports, sweeping, async (pause) => {
    for (const { id, kind, name, what } of await deletions.begin(clock.now())) {
      const removed = await store.filesRemoved(id);
      if (removed === undefined) continue;
      while ((await store.removeRecords(id, portion)) > 0) await pause(pauseMs);
      await deletions.finish(id, removed);
      log.info('work was deleted', { kind, name, what, ...removed });
    }
  });
}

/**
 * Periodically plans the deletion of work of this age, a few pieces at a time.
 *
 * @param days `everything`: since the archiving of the work; `files`: since its end
 * @returns stops it; planned deletions stay
 */
export function deleteOld(
  ports: { deletions: Pick<Engine['deletions'], 'addOld'>; clock: Clock; timers: Timers; log: Log },
  what: DeletionScope,
  days: number,
): () => void {
  const { deletions, clock, log } = ports;
  return inRounds(ports, looking, async (pause) => {
    const before = clock.now() - days * dayMs;
    let planned = 0;
    for (const kind of workKinds)
      for (let after: string | undefined = ''; after !== undefined; await pause(pauseMs)) {
        const done = await deletions.addOld(kind, what, days, { before, after, limit: batch });
        planned += done.planned;
        after = done.next;
      }
    if (planned > 0) log.info('what is old will be deleted', { what, planned, older_than_days: days });
  });
}
