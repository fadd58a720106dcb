import { roleIncludes, roles } from '@lab/contracts';
import type { Need } from '../shared/openapi.js';
import type { Given } from './request.js';

/** The callers of the fuzzer: people with several roles, for all labs or for one, and callers without a valid token. */

export interface Grant {
  role: (typeof roles)[number];
  lab?: string;
}

export interface Caller {
  label: string;
  /** Of the token; undefined without a valid one. */
  name?: string;
  /** Undefined: without a valid token only public operations succeed. */
  grants?: Grant[] | undefined;
  /** Relative share of the requests. */
  share: number;
  headers: Record<string, string>;
}

/** A person with a valid token. */
export interface Person {
  label: string;
  name: string;
  grants: Grant[];
  token: string;
}

/** Shares of the requests. Most pass the authorization, because most of the service is behind it. */
const shares: Record<string, number> = {
  admin: 50,
  operator: 8,
  'operator of the lab': 4,
  'operator of the lab alone': 4,
  'operator of another lab': 4,
  'lab_admin of the lab': 3,
  'lab_admin of another lab alone': 4,
  submitter: 6,
  'another submitter': 4,
  viewer: 5,
  nobody: 5,
};

/** Share of each kind of invalid token. */
const shareOfBroken = 1;

/** A lab that has no records. */
const otherLab = 'no_such_lab';

/** The grants of each person, by label. @param lab the lab of the service */
export const grantsBy = (lab: string): Record<string, Grant[]> => ({
  admin: [{ role: 'admin' }],
  operator: [{ role: 'operator' }],
  'operator of the lab': [{ role: 'operator', lab }, { role: 'viewer' }],
  'operator of the lab alone': [{ role: 'operator', lab }],
  'operator of another lab': [{ role: 'operator', lab: otherLab }, { role: 'viewer' }],
  'lab_admin of the lab': [{ role: 'lab_admin', lab }, { role: 'viewer' }],
  'lab_admin of another lab alone': [{ role: 'lab_admin', lab: otherLab }],
  submitter: [{ role: 'submitter' }],
  'another submitter': [{ role: 'submitter' }],
  viewer: [{ role: 'viewer' }],
});

/**
 * All callers. The first one may do everything.
 *
 * @param known the persons
 * @param lost tokens that are no longer valid, by the reason
 */
export function everybody(known: readonly Person[], lost: Record<string, string>): [Caller, ...Caller[]] {
  const token = known[0]?.token ?? '';
  const valid = known.map(({ label, name, grants, token }) => ({
    label,
    name,
    grants,
    share: shares[label] ?? shareOfBroken,
    headers: { authorization: `Bearer ${token}` },
  }));
  const without = (label: string, authorization?: string, share = shareOfBroken): Caller => ({
    label,
    share,
    headers: authorization === undefined ? {} : { authorization },
  });
  const unsigned = [{ alg: 'none' }, { sub: 'admin', roles: ['admin'] }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const [first, ...others] = valid;
  if (first === undefined) throw new Error('at least one person must have a valid token');
  return [
    first,
    ...others,
    without('nobody', undefined, shares.nobody),
    ...Object.entries(lost).map(([label, each]) => without(label, `Bearer ${each}`)),
    without('a truncated token', `Bearer ${token.slice(0, -1)}`),
    without('a token with more', `Bearer ${token}A`),
    without('a token in capitals', `Bearer ${token.toUpperCase()}`),
    without('two tokens', `Bearer ${token}, Bearer ${token}`),
    without('a token without its scheme', token),
    without('another scheme', `Basic ${Buffer.from(`admin:${token}`).toString('base64')}`),
    without('an empty token', 'Bearer '),
    without('a token with odd characters', `Bearer ${token}\u00ff\u00e9`),
    without('a token of 1,000 characters', `Bearer ${token.padEnd(1_000, 'A')}`),
    without('a token of 9,000 characters', `Bearer ${token.padEnd(9_000, 'A')}`),
    without('an unsigned token of an issuer', `Bearer ${unsigned}.`),
    { ...without('a token in another header'), headers: { 'x-authorization': `Bearer ${token}` } },
    {
      ...without('a token in a cookie'),
      headers: { cookie: `token=${token}; authorization=Bearer ${token}` },
    },
  ];
}

/**
 * Whether the document allows a caller the operation. Records belong to the lab of the service or to none; the request
 * does not say which.
 *
 * @param need `x-needs` of the operation
 */
export function isAllowed(
  need: Need | undefined,
  grants: Grant[] | undefined,
  { path, query = {}, body }: Given,
): boolean {
  if (need === 'nothing') return true;
  if (grants === undefined || need === undefined) return false;
  if (need === 'identity') return true;
  const enough = grants.filter(({ role }) => allows(role, need.role));
  if (need.lab === anyLab || (need.lab === ownLabs && query.lab === undefined)) return enough.length > 0;
  if (need.of !== undefined) return enough.some(({ lab }) => lab !== otherLab);
  return labsOf(need.lab, path, query, body).every((lab) =>
    enough.some((grant) => grant.lab === undefined || grant.lab === lab),
  );
}

function allows(role: string, needed: string): boolean {
  const [has, wanted] = [role, needed].map((name) => roles.find((each) => each === name));
  return has !== undefined && wanted !== undefined && roleIncludes(has, wanted);
}

/** Whether all roles of a caller are for a lab without records, so that no answer may show it one. */
export const isForeign = (grants: Grant[] | undefined): boolean =>
  grants?.every(({ lab }) => lab === otherLab) === true;

/** Instead of the field that names the lab: the role for any lab is enough. */
const anyLab = '*';

/** Instead of the field that names the lab: the query names it, or the answer has only what belongs to labs of the caller. */
export const ownLabs = '?lab or own';

/** The labs that a request names; undefined stands for all labs. */
function labsOf(
  field: string | undefined,
  path: Given['path'],
  query: Record<string, string>,
  body: unknown,
): (string | undefined)[] {
  if (field === undefined) return [undefined];
  const named =
    field === '?lab' || field === ownLabs ? query.lab : field in path ? path[field] : own(body, field);
  const labs: unknown[] = [named].flat();
  return labs.length > 0 && labs.every((lab) => typeof lab === 'string') ? labs : [undefined];
}

const own = (body: unknown, field: string): unknown =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, field)
    ? (body as Record<string, unknown>)[field]
    : undefined;

/** Whether a caller may change the work of others. */
export const isOperator = (grants: Grant[] | undefined): boolean =>
  isAllowed({ role: 'operator', of: 'task' }, grants, { path: {}, body: undefined });
