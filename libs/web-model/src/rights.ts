import type { Principal } from '@lab/api-client';

export type Role = Principal['grants'][number]['role'];

/** From `viewer` to `lab_admin` each may do what those before it may. Those after it may do what {@link aboutCode} says. */
export const roles: readonly Role[] = [
  'viewer',
  'submitter',
  'operator',
  'lab_admin',
  'dry_runner',
  'deployer',
  'admin',
];

/** What the roles about code include. Of the others only `admin` includes them. */
const aboutCode: Partial<Record<Role, readonly Role[]>> = {
  dry_runner: ['viewer'],
  deployer: ['viewer', 'dry_runner'],
};

/** Whether a role allows what another one allows. */
function includes(role: Role, needed: Role): boolean {
  if (role === needed || role === 'admin') return true;
  const included = aboutCode[role];
  if (included !== undefined) return included.includes(needed);
  return aboutCode[needed] === undefined && roles.indexOf(role) > roles.indexOf(needed);
}

/**
 * Whether somebody has a role or a higher one, so that the page offers what needs it. The service decides.
 *
 * @param lab undefined: for all laboratories
 */
export function mayAct({ grants }: Pick<Principal, 'grants'>, role: Role, lab?: string): boolean {
  return grants.some(
    (grant) =>
      includes(grant.role, role) && (grant.lab === undefined || grant.lab === null || grant.lab === lab),
  );
}

/**
 * As {@link mayAct}, for what belongs to several laboratories.
 *
 * @param labs all of them; empty: it belongs to none, so that only a role for all laboratories counts
 */
export function mayActOn(person: Pick<Principal, 'grants'>, role: Role, labs: readonly string[]): boolean {
  return mayAct(person, role) || (labs.length > 0 && labs.every((lab) => mayAct(person, role, lab)));
}

/** Whether somebody has a role or a higher one for all laboratories, or for at least one. */
export function mayActSomewhere(person: Pick<Principal, 'grants'>, role: Role): boolean {
  return person.grants.some(({ lab }) => mayAct(person, role, lab ?? undefined));
}

/** The laboratories that somebody sees, if they are single ones; undefined: all laboratories. */
export function labsSeen(person: Pick<Principal, 'grants'>): readonly string[] | undefined {
  if (mayAct(person, 'viewer')) return undefined;
  return [...new Set(person.grants.flatMap(({ lab }) => lab ?? []))].sort();
}
