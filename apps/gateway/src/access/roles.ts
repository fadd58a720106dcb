import { roles, type Principal, type Role } from '@lab/contracts';

/**
 * Whether somebody has a role or a higher one.
 *
 * @param lab the lab that it is needed for; undefined: for all labs, so that a role for one lab does not count
 */
export function hasRole(principal: Principal, role: Role, lab?: string): boolean {
  return principal.grants.some(
    (grant) =>
      roles.indexOf(grant.role) >= roles.indexOf(role) && (grant.lab === undefined || grant.lab === lab),
  );
}
