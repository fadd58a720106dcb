import type { Principal } from '@lab/api-client';

export type Role = Principal['grants'][number]['role'];

/** From the least to the greatest. Each may do what those before it may. */
export const roles: readonly Role[] = ['viewer', 'submitter', 'operator', 'lab_admin', 'admin'];

/**
 * Whether somebody has a role or a higher one, so that the page offers what needs it. The service decides.
 *
 * @param lab undefined: for all laboratories
 */
export function mayAct({ grants }: Pick<Principal, 'grants'>, role: Role, lab?: string): boolean {
  return grants.some(
    (grant) =>
      roles.indexOf(grant.role) >= roles.indexOf(role) &&
      (grant.lab === undefined || grant.lab === null || grant.lab === lab),
  );
}
