import { ServiceError, type JsonValue, type Principal } from '@lab/contracts';
import { hasRole } from './roles.js';

/**
 * Keeps people from directing an optimizer worker to machines that only the worker reaches. A package names the server of
 * an AI; a request may do so only for a caller who may change packages.
 *
 * @param overrides of an optimizer, as the request has them
 * @throws ServiceError `forbidden` when they contain a `base_url`
 */
export function requireRightToServers(caller: Principal, overrides: JsonValue | undefined): void {
  if (overrides === undefined || hasRole(caller, 'admin') || !namesServer(overrides)) return;
  throw new ServiceError(
    'forbidden',
    `base_url says which machine the optimizer worker sends to, which takes the role admin for all laboratories. ` +
      `Leave it out, or have it written into the optimizer of the protocol.`,
  );
}

function namesServer(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => key === 'base_url' || namesServer(inner));
}
