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

/** Whether somebody has a role or a higher one for all labs, or for at least one. */
export function hasRoleInAny({ grants }: Principal, role: Role): boolean {
  return grants.some((grant) => roles.indexOf(grant.role) >= roles.indexOf(role));
}

/** The labs for which somebody has a role or a higher one, where it is for some only. */
export function labsWith({ grants }: Principal, role: Role): string[] {
  const enough = grants.filter((grant) => roles.indexOf(grant.role) >= roles.indexOf(role));
  return [...new Set(enough.flatMap(({ lab }) => (lab === undefined ? [] : [lab])))];
}

/**
 * Somebody with the roles that they have where all of these labs are concerned, as roles for all labs: for a request that
 * is about nothing else. Roles for all labs stay what they are, and an admin is one of everything.
 *
 * @param labs from one on
 */
export function standingIn(principal: Principal, labs: readonly string[]): Principal {
  const role = roles.findLast(
    (each) => each !== 'admin' && labs.every((lab) => hasRole(principal, each, lab)),
  );
  const grants = principal.grants.filter(({ lab }) => lab === undefined);
  return { ...principal, grants: role === undefined ? grants : [...grants, { role }] };
}
