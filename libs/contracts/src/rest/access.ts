/**
 * What somebody may do, least first. Each role may do what the ones before it may. `lab_admin` is given for a lab, the
 * others for a lab or for all of them; `admin` always for all.
 */
export const roles = ['viewer', 'submitter', 'operator', 'lab_admin', 'admin'] as const;
export type Role = (typeof roles)[number];

export interface Grant {
  role: Role;
  /** Name of the one lab that the role is for; without it: all labs. */
  lab?: string;
}

/** Who makes a request. */
export interface Principal {
  /** Stands as owner and in the audit. */
  name: string;
  /** `local`: authentication is off, and the service listens on this machine only. */
  kind: 'local' | 'token' | 'oidc';
  grants: Grant[];
}
