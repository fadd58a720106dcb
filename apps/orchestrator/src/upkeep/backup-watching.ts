import type { Engine } from '@lab/engine';
import type { PostgresStore } from '@lab/persistence';
import type { Log, Timers } from '@lab/ports';
import { inRounds } from '@lab/runtime';

const plan = { firstMs: 10_000, everyMs: 60_000, failed: 'nobody can say how far the backup is' };

/**
 * Tells the engine periodically how far the backup of the service is, so that it warns people of one that waits.
 *
 * @returns stops it
 */
export function watchBackup(ports: {
  engine: Pick<Engine, 'backupIs'>;
  store: Pick<PostgresStore, 'backupState'>;
  timers: Timers;
  log: Log;
}): () => void {
  return inRounds(ports, plan, async () => ports.engine.backupIs(await ports.store.backupState()));
}
