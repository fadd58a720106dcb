import {
  isIssuerName,
  isWellFormedName,
  issuerName,
  ServiceError,
  type PipelineOrigin,
} from '@lab/contracts';
import type { PipelineToken } from '@lab/persistence';
import type { Log } from '@lab/ports';
import type { PipelineSettings } from '@lab/runtime';
import { decodeJwt, errors } from 'jose';
import { IssuerKeys, type Claims } from '../access/index.js';
import { grantsByRules } from './rules.js';

/** Longest time since the issuer signed the token. A job waits for its turn, and builds, before it deploys. */
const longestAge = '1h';

/** Longest claim that is kept, in characters. */
const longestClaim = 200;

interface Trusted {
  settings: PipelineSettings;
  keys: IssuerKeys;
}

/** The issuers of pipelines that this service trusts: what a signed token of a pipeline is worth here. */
export class PipelineIssuers {
  /** A service that trusts no issuer of pipelines. */
  static readonly none = new PipelineIssuers([], { warn: () => undefined });

  readonly #trusted: ReadonlyMap<string, Trusted>;

  /** @param patienceMs longest time until the complete answer of an issuer */
  constructor(all: readonly PipelineSettings[], log: Pick<Log, 'warn'>, patienceMs?: number) {
    this.#trusted = new Map(
      all.map((settings) => [
        settings.issuer,
        { settings, keys: new IssuerKeys(settings.issuer, log, patienceMs) },
      ]),
    );
  }

  /**
   * What a pipeline gets for its signed token.
   *
   * @throws ServiceError `unauthorized` with what is wrong with the token; `forbidden` when no rule gives the pipeline a role;
   *   `service_unavailable` when the issuer does not answer
   */
  async worthOf(token: string): Promise<PipelineToken> {
    const { settings, keys } = this.#issuerOf(token);
    const { issuer, audience, token_minutes: minutes, rules } = settings;
    const claims = await keys.verified(token, {
      ...{ audience, maxTokenAge: longestAge },
      requiredClaims: ['exp', 'iat', 'sub'],
    });
    // Whoever else the token is for could bring it here.
    if (Array.isArray(claims.aud) && claims.aud.length > 1) throw wrongClaim('aud');
    const origin = originOf(claims, issuer);
    const grants = grantsByRules(claims, rules);
    if (grants.length === 0)
      throw new ServiceError(
        'forbidden',
        `No rule of auth.pipelines gives this pipeline a role. Its token says: ${wordsOf(claims, settings)}.`,
      );
    return { origin, grants, signedId: signedIdOf(claims, token), lifeMs: minutes * 60_000 };
  }

  /** The issuer that the token names. Nothing else of the token counts before its signature is verified. */
  #issuerOf(token: string): Trusted {
    let named: unknown;
    try {
      named = decodeJwt(token).iss;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      throw new ServiceError('unauthorized', 'The subject token is no signed token (JWT).', { cause: error });
    }
    const trusted = typeof named === 'string' ? this.#trusted.get(named) : undefined;
    if (trusted !== undefined) return trusted;
    throw new ServiceError(
      'unauthorized',
      'The issuer of the token is none that this service trusts for pipelines (auth.pipelines).',
    );
  }
}

/** @throws ServiceError `unauthorized` when the claims name nobody */
function originOf(claims: Claims, issuer: string): PipelineOrigin {
  const { sub: subject } = claims;
  const repository = textOf(claims['repository'] ?? claims['project_path']);
  if (typeof subject !== 'string' || subject.length > longestClaim || isIssuerName(subject))
    throw wrongClaim('sub');
  if (!isWellFormedName(issuerName(repository ?? subject, issuer)))
    throw wrongClaim(repository === null ? 'sub' : 'repository');
  return {
    ...{ issuer, subject, repository },
    ref: textOf(claims['ref']),
    commit: textOf(claims['sha']),
    run: textOf(claims['run_id'] ?? claims['pipeline_id']),
  };
}

function textOf(claim: unknown): string | null {
  return typeof claim === 'string' || typeof claim === 'number' ? String(claim).slice(0, longestClaim) : null;
}

/** @throws ServiceError `unauthorized` */
function signedIdOf({ jti }: Claims, token: string): string {
  // Without the signature, because one text can have several valid ones.
  if (jti === undefined) return token.slice(0, token.lastIndexOf('.'));
  if (typeof jti === 'string' && jti !== '') return jti;
  throw wrongClaim('jti');
}

/** The claims that rules look at, so that whoever writes the rules sees why none fits. */
function wordsOf(claims: Claims, { rules }: PipelineSettings): string {
  const names = new Set(['sub', ...rules.flatMap((rule) => Object.keys(rule.claims))]);
  return [...names]
    .map(
      (name) =>
        `${name} ${JSON.stringify(textOf(claims[name]) ?? claims[name] ?? null).slice(0, longestClaim)}`,
    )
    .join(', ');
}

function wrongClaim(name: string): ServiceError {
  return new ServiceError('unauthorized', `The claim "${name}" of the token is not what it must be.`);
}
