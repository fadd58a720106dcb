import { type LabRights, ServiceError } from '@lab/contracts';

/** In the place of the names of laboratories that a person may not see, and of their work. */
export const otherLabs = 'other laboratories';

/**
 * Refuses work that may use laboratories for which the caller has no role. It names only those that the caller may see.
 *
 * @param path of what led to the laboratories, in the request
 * @throws ServiceError `forbidden`
 */
export function refuseForeignLabs(
  { see, use }: LabRights,
  what: string,
  labs: readonly string[],
  path: string,
): void {
  if (use === 'all') return;
  const missing = labs.filter((lab) => !use.includes(lab));
  if (missing.length === 0 && labs.length > 0) return;
  const seen = see === 'all' ? missing : missing.filter((lab) => see.includes(lab));
  const names = seen.length < missing.length ? [...seen, otherLabs] : seen;
  const message =
    labs.length === 0
      ? 'belongs to no laboratory, so it needs the role submitter for all laboratories'
      : `may use ${names.join(', ')}, for which you do not have the role submitter`;
  throw new ServiceError('forbidden', `the ${what} ${message}`, {
    faults: [{ path, code: 'foreign_lab', message }],
  });
}
