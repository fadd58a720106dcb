// Who asks: people with several roles, for all labs or for one, and whoever shows nothing that counts.
import { roles } from '@lab/contracts';

/** Shares of the requests: most get past the door, where most of the service is. */
const shares = {
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

/** Of each way in which what is shown does not count. */
const shareOfBroken = 1;

/** A lab to which nothing belongs. */
const otherLab = 'no_such_lab';

/** What is given to whom. @param lab the one that the service has */
export const grantsBy = (lab) => ({
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
 * Everybody who asks. `grants` undefined: nobody may answer them anything but what is open to all.
 *
 * @param known label, name, grants and token of each person
 * @param lost tokens that counted once, by why they do not
 */
export function everybody(known, lost) {
  const [{ token }] = known;
  const valid = known.map(({ label, name, grants, token }) => ({
    label,
    name,
    grants,
    share: shares[label],
    headers: { authorization: `Bearer ${token}` },
  }));
  const without = (label, authorization, share = shareOfBroken) => ({
    label,
    share,
    headers: authorization === undefined ? {} : { authorization },
  });
  const unsigned = [{ alg: 'none' }, { sub: 'admin', roles: ['admin'] }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return [
    ...valid,
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
 * Whether somebody may, as the document says of the operation; of what it does not describe nobody asks. Records belong to
 * the lab that the service has, or to none: which of both a request does not tell.
 *
 * @param need `x-needs` of the operation
 * @param given the parameters of the path, those of the query, and the body as JSON
 */
export function isAllowed(need, grants, { path, query = {}, body }) {
  if (need === 'nothing') return true;
  if (grants === undefined || need === undefined) return false;
  if (need === 'identity') return true;
  const enough = grants.filter(({ role }) => roles.indexOf(role) >= roles.indexOf(need.role));
  if (need.lab === anyLab) return enough.length > 0;
  if (need.of !== undefined) return enough.some(({ lab }) => lab !== otherLab);
  return labsOf(need.lab, path, query, body).every((lab) =>
    enough.some((grant) => grant.lab === undefined || grant.lab === lab),
  );
}

/** In place of the field that names the lab: the role for any one is enough. */
const anyLab = '*';

/** The labs that a request names; undefined stands for all. */
function labsOf(field, path, query, body) {
  if (field === undefined) return [undefined];
  const named = field === '?lab' ? query.lab : field in path ? path[field] : own(body, field);
  const labs = [named].flat();
  return labs.length > 0 && labs.every((lab) => typeof lab === 'string') ? labs : [undefined];
}

const own = (body, field) =>
  typeof body === 'object' && body !== null && Object.hasOwn(body, field) ? body[field] : undefined;

/** Whether somebody may change the work of others. */
export const isOperator = (grants) =>
  isAllowed({ role: 'operator', of: 'task' }, grants, { path: {}, body: undefined });
