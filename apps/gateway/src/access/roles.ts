import { roleIncludes, roles, type LabRights, type Principal, type Role } from '@lab/contracts';

/**
 * Whether somebody has a role or a higher one.
 *
 * @param lab the lab; undefined: all labs, so that a role for one lab does not count
 */
export function hasRole(principal: Principal, role: Role, lab?: string): boolean {
  return principal.grants.some(
    (grant) => roleIncludes(grant.role, role) && (grant.lab === undefined || grant.lab === lab),
  );
}

/** Whether somebody has a role or a higher one for all labs, or for at least one. */
export function hasRoleInAny({ grants }: Principal, role: Role): boolean {
  return grants.some((grant) => roleIncludes(grant.role, role));
}

/** The labs for which somebody has this role or a higher one by grants for single labs. */
export function labsWith({ grants }: Principal, role: Role): string[] {
  const enough = grants.filter((grant) => roleIncludes(grant.role, role));
  return [...new Set(enough.flatMap(({ lab }) => (lab === undefined ? [] : [lab])))];
}

/** The laboratories that somebody may see, and those that their work may use. */
export function rightsOf(principal: Principal): LabRights {
  const labs = (role: Role): LabRights['see'] =>
    hasRole(principal, role) ? 'all' : labsWith(principal, role);
  return { see: labs('viewer'), use: labs('submitter') };
}

/** The laboratories for which somebody has a role about code, or a higher one. */
export function labsFor(principal: Principal, role: 'dry_runner' | 'deployer'): LabRights['see'] {
  return hasRole(principal, role) ? 'all' : labsWith(principal, role);
}

/**
 * The principal with the roles for every one of these labs, as roles for all labs. It serves a request about these labs only.
 * Roles for all labs do not change. Admin is a role for all labs only.
 *
 * @param labs at least one
 */
export function generalized(principal: Principal, labs: readonly string[]): Principal {
  const held = roles.filter((each) => each !== 'admin' && labs.every((lab) => hasRole(principal, each, lab)));
  const grants = principal.grants.filter(({ lab }) => lab === undefined);
  return { ...principal, grants: [...grants, ...held.map((role) => ({ role }))] };
}
