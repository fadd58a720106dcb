import type { JsonObject } from '../json.js';
import {
  Described,
  Field,
  Optional,
  choice,
  free,
  integer,
  list,
  object,
  orNull,
  text,
  time,
  type TypeOf,
} from './fields/field.js';
import { bodies, line, oneOf, recordName, whole } from './fields/inputs.js';
import type { Page } from './pages.js';
import {
  roles,
  storedTokenKinds,
  tokenKinds,
  type Role,
  type StoredTokenKind,
  type TokenKind,
} from '../vocabulary.js';

/** Days that a personal token is valid: the default, and the most. */
export const personalTokenDays = { usual: 90, most: 366 } as const;

/**
 * The name of a person of an issuer: the claim with the name, `@`, and the address of the issuer. The names of this service
 * never have this form, so that nobody of an issuer is taken for somebody of this service, or of another issuer.
 */
export function issuerName(name: string, issuer: string): string {
  return `${name}@${issuer}`;
}

/** Whether a name has the form of {@link issuerName}. */
export function isIssuerName(name: string): boolean {
  return /@https?:\/\//i.test(name);
}

/** How a person or program was identified. */
export const principalKinds = ['local', 'token', 'oidc'] as const;
export type PrincipalKind = (typeof principalKinds)[number];

const roleText =
  'What the token allows. From `viewer` to `lab_admin` each role includes the roles before it. `dry_runner` only learns what a package would change, and includes `viewer`. `deployer` uploads and activates packages, and includes `dry_runner` and `viewer`. `admin` includes all.';
const tokenOwner =
  'Owner of the token. It is the owner of the work that is submitted with the token, and the name in the audit.';

export class Grant {
  @Field(choice(roles, roleText)) role!: Role;
  @Optional(text('The one lab that the role is for; absent: all labs.', 'color_lab')) lab?: string;
}

const claim = (description: string, example: string) => orNull(text(description, example));

/** What the signed token of a pipeline said that was exchanged for a token of this service. */
@Described(
  'The pipeline that a token was made for, as its issuer signed it. A claim that the token lacked is null.',
)
export class PipelineOrigin {
  @Field(text('Issuer of the signed token.', 'https://token.actions.githubusercontent.com')) issuer!: string;
  @Field(text('The claim `sub`.', 'repo:our-org/our-labs:environment:lab')) subject!: string;
  @Field(claim('Repository: the claim `repository` or `project_path`.', 'our-org/our-labs'))
  repository!: string | null;
  @Field(claim('Branch, tag or pull request: the claim `ref`.', 'refs/heads/main')) ref!: string | null;
  @Field(claim('Commit: the claim `sha`.', '9fceb02d0ae598e95dc970b74767f19372d61af8')) commit!:
    string | null;
  @Field(claim('Run of the pipeline: the claim `run_id` or `pipeline_id`.', '1658821493')) run!:
    string | null;
}

/** Who makes a request. */
export class Principal {
  @Field(text('Owner of the work that is submitted, and the name in the audit.', 'ada')) name!: string;
  /** With `local` the service listens on this machine only. */
  @Field(
    choice(
      principalKinds,
      '`local`: authentication is off. `token`: identified by a token of this service. `oidc`: identified by a token of the OIDC issuer.',
    ),
  )
  kind!: PrincipalKind;
  @Field(list(Grant)) grants!: Grant[];
  @Optional(
    text(
      'Issuer that knows the person. Absent: the name is one of this service.',
      'https://login.example.org',
    ),
  )
  issuer?: string;
  @Optional(text('Who the person is at the issuer: the claim `sub`.', '4711')) subject?: string;
  /** Absent: the caller is no pipeline that exchanged a token. */
  @Optional(PipelineOrigin) pipeline?: PipelineOrigin;
}

/** A role in the body of a request. */
export class GrantSubmission {
  @Field(oneOf(roles, roleText)) role!: Role;
  @Optional(recordName('The one lab that the role is for. Absent: all labs.', 'color_lab')) lab?: string;
}

/** An access token to be made (`POST /api/tokens`). */
export class TokenSubmission {
  @Field(recordName(tokenOwner, 'ada')) name!: string;
  @Optional(oneOf(tokenKinds, 'Whether a person or a program uses the token. Default: `personal`.'))
  kind?: TokenKind;
  @Field(bodies(GrantSubmission, 100, 'What the token allows.', 1)) grants!: GrantSubmission[];
  @Optional(line([0, 200], 'What the token is for.', 'notebook on the bench')) note?: string;
  @Optional(
    whole(
      [1, 3_650],
      `Days until the token expires. For a personal token: default ${personalTokenDays.usual}, at most ${personalTokenDays.most}. For a service token: default never.`,
      30,
    ),
  )
  expires_in_days?: number;
}

/** An access token, without its secret. Times are ISO 8601 in UTC. */
export class TokenRecord {
  @Field(text('Id of the token. It is not the token itself.')) id!: string;
  @Field(text('The first characters of the token, to tell it from others.', 'svc_pat_Jx3q')) prefix!: string;
  @Field(
    choice(
      storedTokenKinds,
      'Whether a person or a program uses the token. `session`: a browser uses it, and ends it.',
    ),
  )
  kind!: StoredTokenKind;
  @Field(text(tokenOwner, 'ada')) name!: string;
  @Field(text('What the token is for.', 'notebook on the bench')) note!: string;
  @Field(list(Grant)) grants!: Grant[];
  @Field(time('When the token was made.')) created_at!: string;
  @Field(text('Person who made the token.', 'root')) created_by!: string;
  @Field(
    orNull(
      text(
        'Issuer that knows the owner; null: the name is one of this service.',
        'https://login.example.org',
      ),
    ),
  )
  issuer!: string | null;
  @Field(orNull(text('Who the owner is at the issuer: the claim `sub`.', '4711'))) subject!: string | null;
  @Field(orNull(PipelineOrigin)) pipeline!: PipelineOrigin | null;
  @Field(orNull(time('When the token expires; null: it does not expire.'))) expires_at!: string | null;
  @Field(orNull(time('When the token was last used, to within about a minute; null: never.')))
  last_used_at!: string | null;
  @Field(orNull(time('When the token was revoked.'))) revoked_at!: string | null;
  @Field(orNull(text('Person who revoked the token.'))) revoked_by!: string | null;
}

/** Answer to the request that made a token. No other answer contains the token. */
export class NewTokenRecord extends TokenRecord {
  @Field(text('The token. The service does not keep it and cannot show it again.')) token!: string;
}

/** Names of RFC 8693 for the exchange of a signed token of a pipeline. */
export const tokenExchange = {
  grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subjectTypes: ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'],
  issuedType: 'urn:ietf:params:oauth:token-type:access_token',
  /** Most characters of a signed token. */
  longestToken: 8_192,
} as const;

/** A signed token of a pipeline, to be exchanged (`POST /api/tokens/exchange`). The names are those of RFC 8693. */
export class TokenExchange {
  @Field(oneOf([tokenExchange.grantType], 'The kind of request.'))
  grant_type!: typeof tokenExchange.grantType;
  @Field(line([1, tokenExchange.longestToken], 'The signed token (JWT) that the issuer gave the pipeline.'))
  subject_token!: string;
  @Field(oneOf(tokenExchange.subjectTypes, 'The kind of the signed token.'))
  subject_token_type!: (typeof tokenExchange.subjectTypes)[number];
}

/** Answer to the exchange of a signed token. No other answer contains the token. The names are those of RFC 8693. */
export class ExchangedToken {
  @Field(text('The token of this service. The service does not keep it and cannot show it again.'))
  access_token!: string;
  @Field(choice([tokenExchange.issuedType], 'The kind of the token.'))
  issued_token_type!: typeof tokenExchange.issuedType;
  @Field(choice(['Bearer'], 'How the token is sent.')) token_type!: 'Bearer';
  @Field(integer('Seconds until the token expires.', 900)) expires_in!: number;
  @Field(text('Id of the token, as the list of tokens shows it.')) id!: string;
  @Field(list(Grant)) grants!: Grant[];
}

/** A session of a browser (`POST /api/sessions`). Its secret is in a cookie, and in no answer. */
export class SessionRecord {
  @Field(text('Id of the session, as the list of tokens shows it.')) id!: string;
  @Field(text('Owner of the work that is submitted, and the name in the audit.', 'ada')) name!: string;
  @Field(list(Grant)) grants!: Grant[];
  @Field(time('When the session ends, whatever happens.')) expires_at!: string;
  @Field(integer('Minutes without a request after which the session ends before.', 60)) idle_minutes!: number;
}

export class TokenPage implements Page<TokenRecord> {
  @Field(list(TokenRecord)) items!: TokenRecord[];
  @Field(orNull(text('Leads to the next page; null: this is the last page.'))) next_cursor!: string | null;
}

/** How many tokens a request revoked (`DELETE /api/tokens`). */
export class RevokedTokens {
  @Field(integer('Number of tokens that the request revoked.', 2)) revoked!: number;
}

/** Kinds of refusals that the service counts. */
export const refusalKinds = [
  'no_token',
  'wrong_token',
  'wrong_ticket',
  'role',
  'origin',
  'too_many',
  'webhook_address',
] as const;
export type RefusalKind = (typeof refusalKinds)[number];

/** The service keeps no part of a token or a ticket. */
@Described('Refusals of one kind, of one caller from one address, within about a minute.')
export class RefusalRecord {
  @Field(text('Unique identifier of the record.')) id!: string;
  @Field(
    choice(
      refusalKinds,
      '`no_token`, `wrong_token`: 401. `wrong_ticket`: the address of an upload or download that is not valid. `role`: 403, the caller lacks a role. `origin`: 403, a page of another site or a foreign name of this service. `too_many`: 429. `webhook_address`: a webhook may not reach the address.',
    ),
  )
  kind!: RefusalKind;
  @Field(text('Name of the caller; empty: the request proved none.', 'ada')) principal!: string;
  @Field(
    text(
      'Address that the requests came from, or the network of 64 bits of an IPv6 address; `others`: one of many addresses in that minute.',
      '192.168.0.7',
    ),
  )
  address!: string;
  @Field(integer('Number of refusals.', 130)) count!: number;
  @Field(time('The first of them.')) first_at!: string;
  @Field(time('The last of them.')) last_at!: string;
  @Field(text('What the last request tried.', 'GET /api/tasks/{task_name}')) action!: string;
  @Field(orNull(text('Id of the last request in the log.'))) request_id!: string | null;
}

/** The entries are a chain: none can be changed or removed unnoticed. */
@Described('An act of a person. The service keeps it for ever.')
export class AuditRecord {
  @Field(text('Unique identifier of the record.')) id!: string;
  @Field(integer('Number of the entry, from 1, without gaps.', 1)) seq!: number;
  @Field(time('When the person acted.')) at!: string;
  @Field(text('Person who acted.', 'ada')) by!: string;
  @Field(
    orNull(
      choice(
        principalKinds,
        'How the person was identified; null: the act did not come through the gateway.',
      ),
    ),
  )
  kind!: PrincipalKind | null;
  /** For example `attention.resolve`, `estop.engage`, `queue.pause`. */
  @Field(text('What the person did.', 'campaign.pause')) action!: string;
  @Field(text('The subject of the act.', 'campaign/sweep')) subject!: string;
  @Field(free<JsonObject>('Details of the act.')) detail!: JsonObject;
  @Field(orNull(text('Id of the request in the log.'))) request_id!: string | null;
  @Field(orNull(text('Address that the request came from.', '127.0.0.1'))) ip!: string | null;
  @Field(text('SHA-256 over the hash of the entry before and this entry, hexadecimal.')) hash!: string;
}

const brokenEntry = orNull(
  object({
    seq: integer('Number of the entry.', 17),
    id: orNull(text('Id of the entry; null when the entry is missing.')),
    reason: text('What is wrong with the entry.', 'it was changed'),
  }),
);

/**
 * What a check of the whole audit found. `broken` is the first entry that was changed or does not follow the one
 * before it.
 */
export class AuditVerification {
  @Field(integer('Number of entries that were checked, a broken entry included.', 1_204)) entries!: number;
  @Field(brokenEntry) broken!: TypeOf<typeof brokenEntry>;
  /** A copy that is kept elsewhere shows later that nobody has made the chain anew. */
  @Field(text('Hash of the last sound entry.')) head!: string;
}
