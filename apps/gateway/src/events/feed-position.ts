import { ServiceError } from '@lab/contracts';

/**
 * Checks that all entries behind a position are available.
 *
 * @param source knows the available entries
 * @param noun singular and plural of the entries, for messages
 * @param path of the field with the position, for faults
 * @throws ServiceError `events_pruned` when some entries were removed; `invalid` when the entry does not exist yet;
 *   `store_unavailable`
 */
export async function requirePosition(
  source: { extent(): Promise<{ latest: number; pruned: number }> },
  [one, many]: readonly [string, string],
  after: number,
  path: string,
): Promise<void> {
  const { latest, pruned } = await source.extent();
  if (after < pruned)
    throw new ServiceError('events_pruned', `${capital(many)} up to number ${pruned} were removed.`, {
      faults: [
        {
          path,
          code: 'pruned',
          message: `${many} behind ${after} were removed`,
          hint: `read the records as they are now, and go on after ${pruned}`,
        },
      ],
    });
  if (after > latest)
    throw new ServiceError('invalid', `There is no ${one} ${after} yet; the latest is ${latest}.`, {
      faults: [{ path, code: 'range', message: `must be at most ${latest}` }],
    });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
