import { deviceFileKey, taskFilesPrefix, type FileStore } from '@lab/object-store';
import type { DeviceFiles, FileSweeps } from '@lab/persistence';
import type { Log, Timers } from '@lab/ports';
import { inRounds } from '@lab/runtime';

/** Task runs whose files are looked at together. */
const portion = 200;

const plan = { firstMs: 4_000, everyMs: 5_000, failed: 'files of deleted work could not be removed' };

/**
 * Removes the files of deletions that run, then notes that none is left. Only then the records are removed, so that no file is
 * ever without a record. Files of instruments that belong to the work go with it, each with its record. Several gateways may do this at once, and each may begin again after an end in the middle.
 *
 * @returns stops it; a removal under way is not waited for
 */
export function sweepFiles(
  sweeps: Pick<FileSweeps, 'waiting' | 'taskRuns' | 'done'>,
  ofDevices: Pick<DeviceFiles, 'ofTaskRuns' | 'remove'>,
  files: Pick<FileStore, 'list' | 'delete'>,
  ports: { timers: Timers; log: Log },
): () => void {
  // What rounds that failed have removed. A restart forgets it, and then the deletion counts too little.
  const counted = new Map<string, { files: number; bytes: number }>();
  return inRounds(ports, plan, async (pause) => {
    for (const deletion of await sweeps.waiting()) {
      const removed = counted.get(deletion.id) ?? { files: 0, bytes: 0 };
      counted.set(deletion.id, removed);
      for (let after = ''; ; await pause(0)) {
        const tasks = await sweeps.taskRuns(deletion, after, portion);
        for (const task of tasks)
          for await (const { key, size } of files.list(taskFilesPrefix(task))) {
            await files.delete(key);
            removed.files += 1;
            removed.bytes += size;
          }
        for (const { id, size } of await ofDevices.ofTaskRuns(tasks)) {
          await files.delete(deviceFileKey(id));
          await ofDevices.remove(id);
          removed.files += 1;
          removed.bytes += size;
        }
        if (tasks.length < portion) break;
        after = tasks.at(-1) ?? after;
      }
      await sweeps.done(deletion, removed);
      counted.delete(deletion.id);
    }
  });
}
