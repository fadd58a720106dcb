import { ServiceError, unnamedPerson, type Principal } from '@lab/contracts';
import { hasRole } from './roles.js';

/**
 * Only its owner or an operator may change work.
 *
 * @throws ServiceError `forbidden`
 */
export function refuseForeign(caller: Principal, owner: string): void {
  if (owner === caller.name || hasRole(caller, 'operator')) return;
  throw new ServiceError(
    'forbidden',
    `This belongs to ${owner === '' ? 'nobody' : `"${owner}"`}: to change it, "${caller.name}" needs the role operator.`,
  );
}

/**
 * As {@link refuseForeign}, but looks the work up only for callers who are no operators. It passes work that does not
 * exist: the next step reports that.
 *
 * @throws ServiceError `forbidden`
 */
export async function requireOwn(
  caller: Principal,
  find: () => Promise<{ owner: string } | undefined>,
): Promise<void> {
  if (hasRole(caller, 'operator')) return;
  const work = await find();
  if (work !== undefined) refuseForeign(caller, work.owner);
}

/**
 * Makes the caller the owner of a submission, unless the caller is an operator who submits it for another person. With
 * authentication off, the owner is the one in the submission.
 *
 * @throws ServiceError `forbidden`
 */
export function asOwn<T extends { owner?: string }>(caller: Principal, submission: T): T {
  if (caller.kind === 'local') return submission;
  const owner = submission.owner ?? caller.name;
  if (owner !== caller.name && !hasRole(caller, 'operator')) {
    throw new ServiceError(
      'forbidden',
      `"${caller.name}" submits work of their own: for another owner they need the role operator.`,
    );
  }
  return { ...submission, owner };
}

/** The name that the record of an action gets: the caller's, or with authentication off the given one. */
export function actorName(caller: Principal, given: string | undefined): string {
  return caller.kind === 'local' ? (given ?? unnamedPerson) : caller.name;
}
