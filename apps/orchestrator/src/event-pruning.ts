import { toServiceError } from '@lab/contracts';
import type { Clock, Log, Timers } from '@lab/engine';
import type { PostgresStore } from '@lab/persistence';

/** Between two rounds, in milliseconds. */
const roundMs = 3_600_000;
/** Before the first one, in milliseconds: a leader that has just begun has better things to do. */
const firstMs = 60_000;
/** Events that are looked at at once, and the pause between, in milliseconds: commits wait for no longer than that. */
const batch = 1_000;
const pauseMs = 50;

const dayMs = 86_400_000;

/**
 * Forgets old events, again and again, a few at a time. Errors are logged, and the next round tries again.
 *
 * @param keptDays events younger than so many days stay, and the latest of everything that events are about
 * @returns ends it; what is under way is not waited for
 */
export function pruneEvents(
  {
    store,
    clock,
    timers,
    log,
  }: { store: Pick<PostgresStore, 'pruneEvents'>; clock: Clock; timers: Timers; log: Log },
  keptDays: number,
): () => void {
  let stopped = false;
  let cancel = (): void => undefined;
  const after = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      cancel = timers.after(ms, resolve);
    });
  const round = async (): Promise<void> => {
    let removed = 0;
    for (let next: number | undefined = 0; next !== undefined && !stopped; await after(pauseMs)) {
      const done = await store.pruneEvents(clock.now() - keptDays * dayMs, next, batch);
      removed += done.removed;
      next = done.next;
    }
    if (removed > 0) log.info('old events removed', { events: removed, older_than_days: keptDays });
  };
  const forEver = async (): Promise<void> => {
    for (await after(firstMs); !stopped; await after(roundMs)) {
      await round().catch((error: unknown) =>
        log.warn('old events could not be removed', { message: toServiceError(error).message }),
      );
    }
  };
  void forEver();
  return () => {
    stopped = true;
    cancel();
  };
}
