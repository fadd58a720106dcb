import type { DeletedPackageVersion } from '@lab/contracts';
import type { Log, Timers } from '@lab/ports';
import { inRounds } from '@lab/runtime';

const plan = {
  firstMs: 120_000,
  everyMs: 3_600_000,
  failed: 'old versions of packages could not be deleted',
};

/**
 * Periodically deletes the versions of packages that nobody needs, but for the newest of each package.
 *
 * @param keep how many of each package stay in any case
 * @returns stops it; a deletion under way is not waited for
 */
export function deleteOldVersions(
  ports: {
    versions: { removeOld(keep: number): Promise<DeletedPackageVersion[]> };
    timers: Timers;
    log: Log;
  },
  keep: number,
): () => void {
  return inRounds(ports, plan, async () => {
    const deleted = await ports.versions.removeOld(keep);
    if (deleted.length > 0) ports.log.info('old versions of packages were deleted', { deleted, keep });
  });
}
