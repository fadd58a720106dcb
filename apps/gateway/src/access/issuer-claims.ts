import {
  isWellFormedName,
  issuerName,
  roles,
  ServiceError,
  type Grant,
  type Principal,
} from '@lab/contracts';
import type { IssuerPerson } from '@lab/persistence';
import type { OidcSettings } from '@lab/runtime';

/** Claims of a token whose signature was verified. */
export type Claims = Readonly<Record<string, unknown>>;

/** A person of an issuer. */
export type IssuerPrincipal = Principal & IssuerPerson;

/**
 * Who the claims are about, with the roles that they give.
 *
 * @throws ServiceError `unauthorized` when the claims name nobody
 */
export function principalOfClaims(
  claims: Claims,
  settings: Pick<OidcSettings, 'issuer' | 'name_claim' | 'roles_claim' | 'roles'>,
): IssuerPrincipal {
  const { issuer, name_claim: nameClaim } = settings;
  const given = claimAt(claims, nameClaim);
  if (!isWellFormedName(given))
    throw new ServiceError('unauthorized', `The token has no claim "${nameClaim}" that could be a name.`);
  const name = issuerName(given, issuer);
  if (!isWellFormedName(name))
    throw new ServiceError('unauthorized', `The claim "${nameClaim}" of the token is too long for a name.`);
  const { sub: subject } = claims;
  if (typeof subject !== 'string' || !isWellFormedName(subject))
    throw new ServiceError('unauthorized', 'The claim "sub" of the token is not what it must be.');
  return { name, kind: 'oidc', grants: grantsOf(claims, settings), issuer, subject };
}

/** The value of a claim. Dots in its name lead into objects. */
function claimAt(claims: Claims, path: string): unknown {
  // A claim whose own name has dots, such as an address, comes first.
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (inside, part) =>
        typeof inside === 'object' && inside !== null && Object.hasOwn(inside, part)
          ? (inside as Record<string, unknown>)[part]
          : undefined,
      claims,
    );
}

/** The roles of the claim. Unknown values give no role. */
function grantsOf(
  claims: Claims,
  { roles_claim, roles: meanings }: Pick<OidcSettings, 'roles_claim' | 'roles'>,
): Grant[] {
  const given = claimAt(claims, roles_claim);
  const values = (Array.isArray(given) ? (given as unknown[]) : [given]).filter(
    (value) => typeof value === 'string',
  );
  return values
    .flatMap((value) =>
      meanings === undefined ? [value] : Object.hasOwn(meanings, value) ? (meanings[value] ?? []) : [],
    )
    .flatMap(grantOf);
}

/** Reads `operator` or `operator:color_lab`. Any other text gives no role. */
function grantOf(text: string): Grant[] {
  const [name, ...rest] = text.split(':');
  const role = roles.find((each) => each === name);
  if (role === undefined) return [];
  if (rest.length === 0) return [{ role }];
  const lab = rest.join(':');
  return role !== 'admin' && isWellFormedName(lab) ? [{ role, lab }] : [];
}
