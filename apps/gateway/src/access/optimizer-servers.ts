import { ServiceError, type JsonValue, type Principal } from '@lab/contracts';
import { hasRole } from './roles.js';

/**
 * Keeps people from sending an optimizer worker to machines that only it reaches: where it finds the server of an AI is
 * part of a package, and in a request only for those who may change packages.
 *
 * @param overrides of an optimizer, as somebody gave them
 * @throws ServiceError `forbidden` when they hold a `base_url`
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
