import { randomBytes } from 'node:crypto';
import type { Stack } from '@lab/testkit';
import type { Attack } from './attacks.js';
import type { Answer, Door } from './door.js';
import type { Issuer } from './issuer.js';

/** People with tokens. `stranger` has a role for another laboratory only. */
export interface People {
  root: string;
  olga: string;
  ada: string;
  eve: string;
  sue: string;
  stranger: string;
}

/** A service with tokens, behind a proxy on this computer, and people who attack it. */
export interface HttpScene {
  stack: Stack;
  people: People;
  issuer: Issuer;
  /** Whose signed tokens the service exchanges too, by other rules. */
  otherIssuer: Issuer;
  lab: string;
  /** Names of a protocol run of ada, and of a run of the local sue. */
  run: string;
  runOfSue: string;
}

/** Attacks of one kind. Each takes a door of its own. */
export type Group = (scene: HttpScene, door: () => Door) => Attack[];

/** An attack that succeeds when the service does not refuse the request. */
export const refused = (name: string, send: () => Promise<Answer>): Attack => ({
  name,
  attempt: async () => {
    const { status, text } = await send();
    // A limit of requests hides whether the service would have refused this one.
    if (status === 429) throw new Error(`${name}: too many requests`);
    return status >= 400 && status < 500 ? undefined : `${status} ${text.slice(0, 200)}`;
  },
});

/** A token that nobody has made. */
export const invented = (): string => `svc_pat_${randomBytes(32).toString('base64url')}`;
