import { ServiceError, type Principal } from '@lab/contracts';
import { hasRole } from '../access/roles.js';

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
