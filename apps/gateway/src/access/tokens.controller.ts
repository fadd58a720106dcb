import { Controller, Delete, Get, Post } from '@nestjs/common';
import {
  longestPage,
  ServiceError,
  TokenSubmission,
  usualPage,
  type NewTokenRecord,
  type Page,
  type Principal,
  type RevokedTokens,
  type TokenRecord,
} from '@lab/contracts';
import { issueToken, type AccessTokenRow, type IssuerOwner, type TokenOwner } from '@lab/persistence';
import { tokenSubmissions } from '../examples/index.js';
import {
  cursorOf,
  cursorValues,
  FromQuery,
  Group,
  invalidQuery,
  JsonBody,
  limitParameter,
  Operation,
  pathName,
  queryParameter,
  record,
  requireLimit,
} from '../routes/index.js';
import { Authentication } from './authentication.js';
import { Caller } from './caller.js';
import { NeedsIdentity } from './needs.js';
import { TokenStore } from '../ports/index.js';
import { hasRole } from './roles.js';

interface TokenPlace {
  created_at: string;
  id: string;
}

interface TokenPageRequest {
  limit: number;
  after: TokenPlace | undefined;
}

const TokenId = pathName('token_id', 'token', {
  description: 'Id of the token. It is not the token itself.',
  example: '5f1c1f2e-6d0e-4a5c-9a54-0b4f5a4f7f10',
});
const TokenPageQuery = (): ParameterDecorator =>
  FromQuery(
    [
      limitParameter('Maximum number of tokens.', usualPage),
      queryParameter('cursor', '`next_cursor` of the previous page.', { type: 'string' }),
    ],
    ({ limit, cursor }): TokenPageRequest => ({
      limit: requireLimit(limit, usualPage, longestPage),
      after: cursor === undefined ? undefined : placeOf(cursor),
    }),
  );

const OwnerQuery = (): ParameterDecorator =>
  FromQuery(
    [
      {
        ...queryParameter('name', 'Owner of the tokens, as the list shows it.', { type: 'string' }),
        required: true,
      },
    ],
    ({ name }): string => {
      if (name !== undefined && name !== '') return name;
      throw invalidQuery([{ path: '?name', code: 'required', message: 'names the owner of the tokens' }]);
    },
  );

/** Access tokens. An administrator creates and sees all tokens, everybody else their own. */
@Group('Access')
@NeedsIdentity()
@Controller('api')
export class TokensController {
  constructor(
    private readonly tokens: TokenStore,
    private readonly authentication: Authentication,
  ) {}

  @Operation('Read your identity and your roles', record('Principal', 'The caller.'), {
    problems: [],
  })
  @Get('me')
  me(@Caller() caller: Principal): Principal {
    return caller;
  }

  @Operation('Create an access token', record('NewTokenRecord', 'The new token.'), {
    description:
      'The response contains the token. The service shows it only once and keeps only its hash. The role admin creates any token. A person who signed in at the identity provider creates personal tokens with at most their own roles. A token creates no tokens, unless it belongs to an admin.',
  })
  @Post('tokens')
  async create(
    @JsonBody(TokenSubmission, tokenSubmissions) submission: TokenSubmission,
    @Caller() caller: Principal,
  ): Promise<NewTokenRecord> {
    const made = issueToken(submission, caller.name, Date.now(), this.personFor(submission, caller));
    requireOwnToken(caller, made.row);
    await this.tokens.add(made.row);
    return { ...shown({ ...made.row, ...unused }), token: made.token };
  }

  @Operation('List access tokens', record('TokenPage', 'Newest first.'), {
    description: 'With the role admin: all tokens. Otherwise: your own. Includes revoked and expired tokens.',
  })
  @Get('tokens')
  async list(
    @Caller() caller: Principal,
    @TokenPageQuery() { limit, after }: TokenPageRequest,
  ): Promise<Page<TokenRecord>> {
    const found = await this.tokens.list({
      // One more than asked for tells whether there is another page.
      limit: limit + 1,
      ...(hasRole(caller, 'admin') ? {} : { of: ownerOf(caller) }),
      ...(after === undefined ? {} : { after }),
    });
    const items = found.slice(0, limit).map(shown);
    const last = items.at(-1);
    return {
      items,
      next_cursor: found.length > limit && last !== undefined ? cursorOf([last.created_at, last.id]) : null,
    };
  }

  @Operation('Revoke an access token', record('TokenRecord', 'The revoked token.'), {
    description:
      'Ends the sessions of browsers that began with the token, too. This gateway refuses the token from now on, every other gateway within 5 s. The record stays for the audit. The request can be repeated.',
  })
  @Delete('tokens/:token_id')
  async revoke(@TokenId() id: string, @Caller() caller: Principal): Promise<TokenRecord> {
    const kept = await this.tokens.byId(id);
    // The answer does not tell whether other people have a token with this id.
    if (kept === undefined || (!owns(caller, kept) && !hasRole(caller, 'admin')))
      throw new ServiceError('not_found', `There is no token "${id}" of yours.`);
    const revoked = await this.tokens.revoke(id, caller.name, new Date().toISOString());
    for (const each of revoked) this.authentication.forget(each);
    return shown((await this.tokens.byId(id)) ?? kept);
  }

  @Operation('Revoke all access tokens of a person', record('RevokedTokens', 'The number of them.'), {
    description:
      'For the role admin: everybody, otherwise only yourself. This gateway refuses the tokens from now on, every other gateway within 5 s. A person whom the identity provider still knows can sign in there and make new tokens.',
  })
  @Delete('tokens')
  async revokeAll(@OwnerQuery() name: string, @Caller() caller: Principal): Promise<RevokedTokens> {
    if (name !== caller.name && !hasRole(caller, 'admin'))
      throw new ServiceError(
        'forbidden',
        `You may revoke the tokens of "${caller.name}"; others need the role admin.`,
      );
    const ids = await this.tokens.revokeAllOf(name, caller.name, new Date().toISOString());
    for (const id of ids) this.authentication.forget(id);
    return { revoked: ids.length };
  }

  /** The person of an issuer for whom a token is made; undefined: the owner is a name of this service. */
  private personFor(
    { name }: TokenSubmission,
    { kind, name: own, issuer, subject }: Principal,
  ): IssuerOwner | undefined {
    if (kind !== 'oidc' || name !== own || issuer === undefined || subject === undefined) return undefined;
    return { issuer, subject, mostDays: this.authentication.issuerTokenDays };
  }
}

function ownerOf({ name, issuer, subject }: Principal): TokenOwner {
  return issuer === undefined || subject === undefined ? { name } : { issuer, subject };
}

function owns(caller: Principal, { name, issuer, subject }: AccessTokenRow): boolean {
  const owner = ownerOf(caller);
  return 'name' in owner
    ? issuer === null && name === owner.name
    : issuer === owner.issuer && subject === owner.subject;
}

const unused = { last_used_at: null, revoked_at: null, revoked_by: null };

/**
 * An administrator creates any token. A person who signed in at the identity provider creates personal tokens with at most
 * their own roles. A token creates no tokens: a thief must not keep access after the stolen token is revoked.
 *
 * @throws ServiceError `forbidden`
 */
function requireOwnToken(
  caller: Principal,
  { name, kind, grants }: Pick<AccessTokenRow, 'name' | 'kind' | 'grants'>,
): void {
  if (hasRole(caller, 'admin')) return;
  if (caller.kind !== 'oidc')
    throw new ServiceError('forbidden', 'Only the role admin makes tokens; a token makes no other tokens.');
  if (name !== caller.name || kind !== 'personal')
    throw new ServiceError(
      'forbidden',
      `You may make personal tokens of "${caller.name}"; others need the role admin.`,
    );
  const missing = grants.find(({ role, lab }) => !hasRole(caller, role, lab));
  if (missing === undefined) return;
  throw new ServiceError('forbidden', `You do not have the role ${missing.role} that the token would have.`);
}

/** A token as it may be shown: without its hash. */
function shown({
  hash: _hash,
  made_from: _madeFrom,
  exchanged: _exchanged,
  ...record
}: AccessTokenRow): TokenRecord {
  return record;
}

/** @throws ServiceError `invalid` */
function placeOf(cursor: string): TokenPlace {
  const [created_at, id] = cursorValues(cursor);
  if (typeof created_at === 'string' && typeof id === 'string' && !Number.isNaN(Date.parse(created_at)))
    return { created_at: new Date(created_at).toISOString(), id };
  throw invalidQuery([{ path: '?cursor', code: 'cursor', message: 'is not one that a list gave' }]);
}
