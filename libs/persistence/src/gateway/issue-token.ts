import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  isIssuerName,
  issuerName,
  personalTokenDays,
  ServiceError,
  type Fault,
  type Grant,
  type PipelineOrigin,
  type Principal,
  type StoredTokenKind,
  type TokenSubmission,
} from '@lab/contracts';
import type { IssuerPerson, NewAccessToken } from './tokens.js';

const prefixOf: Record<StoredTokenKind, string> = {
  personal: 'svc_pat_',
  service: 'svc_svc_',
  session: 'svc_ses_',
};

/** Number of random characters that are stored to tell tokens apart. 232 bits stay unknown. */
const shownCharacters = 4;

const dayMs = 86_400_000;

const ofNoSource = { made_from: null, pipeline: null, exchanged: null };

/** SHA-256 of a token, hexadecimal. A plain hash is enough, because nobody can guess 32 random bytes. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The person of an issuer who makes a token for themselves. */
export interface IssuerOwner extends IssuerPerson {
  /** Longest life of the token, in days. */
  mostDays: number;
}

/**
 * Makes a token and its stored row.
 *
 * @param by name of the person or service
 * @param now milliseconds since 1970
 * @param person undefined: the name is one of this service
 * @throws ServiceError `invalid` with every fault of the submission
 */
export function issueToken(
  { name, kind = 'personal', grants, note = '', expires_in_days: days }: TokenSubmission,
  by: string,
  now: number,
  person?: IssuerOwner,
): { token: string; row: NewAccessToken } {
  const faults: Fault[] = grants.flatMap(({ role, lab }, index) =>
    role === 'admin' && lab !== undefined
      ? [
          {
            path: `grants[${index}].lab`,
            code: 'admin_of_lab',
            message: 'an admin is one of everything',
            hint: 'leave the lab out, or give lab_admin',
          },
        ]
      : [],
  );
  if (person === undefined && isIssuerName(name))
    faults.push({
      path: 'name',
      code: 'issuer_name',
      message: 'is the name of a person of an issuer, who makes their tokens themselves',
      hint: 'give another name, without "@https://"',
    });
  const most = person?.mostDays ?? personalTokenDays.most;
  const mustEnd = kind === 'personal' || person !== undefined;
  const lifetime = days ?? (mustEnd ? Math.min(personalTokenDays.usual, most) : undefined);
  if (mustEnd && (lifetime ?? 0) > most) {
    faults.push({
      path: 'expires_in_days',
      code: 'too_long',
      message: `a personal token${person === undefined ? '' : ' of a person of an issuer'} lives for ${most} days at most`,
      hint: 'a program that goes on for longer has a token of kind service',
    });
  }
  if (faults.length > 0) throw new ServiceError('invalid', 'There cannot be such a token.', { faults });
  return tokenOf(kind, now, {
    ...{ name, note, grants, created_by: by, ...ofNoSource },
    issuer: person?.issuer ?? null,
    subject: person?.subject ?? null,
    expires_at: lifetime === undefined ? null : new Date(now + lifetime * dayMs).toISOString(),
  });
}

/**
 * Makes the token of a session, and its stored row.
 *
 * @param principal whose session it is, with its roles
 * @param lifeMs longest life in milliseconds. The store shortens it to that of the token with which the session began.
 * @param now milliseconds since 1970
 */
export function issueSession(
  { name, grants, issuer, subject }: Principal,
  lifeMs: number,
  now: number,
): { token: string; row: NewAccessToken } {
  return tokenOf('session', now, {
    ...{ name, grants, note: '', created_by: name, ...ofNoSource },
    issuer: issuer ?? null,
    subject: subject ?? null,
    expires_at: new Date(now + lifeMs).toISOString(),
  });
}

/** What a pipeline gets for a signed token. */
export interface PipelineToken {
  origin: PipelineOrigin;
  grants: Grant[];
  /** what names the signed token at its issuer: the claim `jti`, or the token without its signature. */
  signedId: string;
  /** In milliseconds. */
  lifeMs: number;
}

/**
 * Makes the token for which a pipeline exchanges a signed one, and its stored row. The repository owns it, or else the
 * subject of the signed token.
 *
 * @param now milliseconds since 1970
 */
export function issuePipelineToken(
  { origin, grants, signedId, lifeMs }: PipelineToken,
  now: number,
): { token: string; row: NewAccessToken & { exchanged: string } } {
  const { issuer, repository, subject, run } = origin;
  const name = issuerName(repository ?? subject, issuer);
  const exchanged = hashOfToken(JSON.stringify([issuer, signedId]));
  const { token, row } = tokenOf('service', now, {
    ...{ name, grants, note: run === null ? '' : `run ${run}`, created_by: name, made_from: null },
    // The owner is no person whose account the issuer confirms from time to time.
    ...{ issuer: null, subject: null, pipeline: origin, exchanged },
    expires_at: new Date(now + lifeMs).toISOString(),
  });
  return { token, row: { ...row, exchanged } };
}

function tokenOf(
  kind: StoredTokenKind,
  now: number,
  rest: Omit<NewAccessToken, 'id' | 'hash' | 'prefix' | 'kind' | 'created_at'>,
): { token: string; row: NewAccessToken } {
  const token = prefixOf[kind] + randomBytes(32).toString('base64url');
  return {
    token,
    row: {
      ...rest,
      id: randomUUID(),
      hash: hashOfToken(token),
      prefix: token.slice(0, prefixOf[kind].length + shownCharacters),
      kind,
      grants: rest.grants.map(({ role, lab }) => (lab === undefined ? { role } : { role, lab })),
      created_at: new Date(now).toISOString(),
    },
  };
}
