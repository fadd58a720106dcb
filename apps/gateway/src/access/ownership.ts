import { ServiceError, unnamedPerson, type Principal } from '@lab/contracts';
import { hasRole } from './roles.js';

/**
 * Work is changed by who it belongs to, or by an operator.
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
 * The same of work that is looked up only where it matters whose it is. What is not there is nobody's: whoever is asked
 * next says so.
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
 * A submission as the caller's own: they are its owner, unless they are an operator who submits it for somebody. With
 * authentication off nobody is known, and the owner is what the submission says.
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

/** Under which name an act is kept: the caller's; with authentication off, the one that they give. */
export function actorName(caller: Principal, given: string | undefined): string {
  return caller.kind === 'local' ? (given ?? unnamedPerson) : caller.name;
}
