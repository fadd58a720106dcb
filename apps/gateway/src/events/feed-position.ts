import { ServiceError } from '@lab/contracts';

/**
 * Whether all entries behind this one can be had.
 *
 * @param source says which entries there are
 * @param noun what they are called, one and many
 * @param path of the field that names it, for faults
 * @throws ServiceError `events_pruned` when some are kept no longer; `invalid` when there is no such entry yet;
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
    throw new ServiceError('events_pruned', `${capital(many)} up to number ${pruned} are kept no longer.`, {
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
