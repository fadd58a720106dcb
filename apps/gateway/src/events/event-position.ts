import { ServiceError } from '@lab/contracts';
import type { EventReader } from '../ports.js';

/**
 * Whether all events behind this one can be had.
 *
 * @param path of the field that names it, for faults
 * @throws ServiceError `events_pruned` when some are kept no longer; `invalid` when there is no such event yet;
 *   `store_unavailable`
 */
export async function requirePosition(reader: EventReader, after: number, path: string): Promise<void> {
  const { latest, pruned } = await reader.extent();
  if (after < pruned)
    throw new ServiceError('events_pruned', `Events up to number ${pruned} are kept no longer.`, {
      faults: [
        {
          path,
          code: 'pruned',
          message: `events behind ${after} were removed`,
          hint: `read the records as they are now, and go on after ${pruned}`,
        },
      ],
    });
  if (after > latest)
    throw new ServiceError('invalid', `There is no event ${after} yet; the latest is ${latest}.`, {
      faults: [{ path, code: 'range', message: `must be at most ${latest}` }],
    });
}
