import { deviceFileKey, type FileStore } from '@lab/object-store';
import type { DeviceFiles } from '@lab/persistence';
import type { Log, Timers } from '@lab/ports';
import { inRounds } from '@lab/runtime';

/** Files that are looked at together. */
const portion = 200;
/** Milliseconds between two portions, so that no other work waits. */
const pauseMs = 50;
const hourMs = 3_600_000;

interface Ports {
  timers: Timers;
  log: Log;
}

/**
 * Removes the loose files whose deletion is due: first the bytes, then the record, so that no bytes are ever without a record.
 * Several gateways may do this at once, and each may begin again after an end in the middle.
 *
 * @returns stops it; a removal under way is not waited for
 */
export function removeLooseFiles(
  records: Pick<DeviceFiles, 'beginDeletions' | 'removed'>,
  files: Pick<FileStore, 'delete'>,
  ports: Ports,
): () => void {
  const plan = { firstMs: 4_500, everyMs: 5_000, failed: 'loose files could not be removed' };
  return inRounds(ports, plan, async (pause) => {
    for (;;) {
      const due = await records.beginDeletions(portion);
      for (const { id } of due) {
        await files.delete(deviceFileKey(id));
        await records.removed(id);
      }
      if (due.length < portion) return;
      await pause(pauseMs);
    }
  });
}

/**
 * Plans the deletion of the loose files that the service has had for some days, once an hour.
 *
 * @returns stops it
 */
export function deleteOldLooseFiles(
  records: Pick<DeviceFiles, 'deleteOld'>,
  days: number,
  ports: Ports,
): () => void {
  const plan = { firstMs: 60_000, everyMs: hourMs, failed: 'old loose files could not be deleted' };
  return inRounds(ports, plan, async (pause) => {
    while ((await records.deleteOld(days, portion)) === portion) await pause(pauseMs);
  });
}
