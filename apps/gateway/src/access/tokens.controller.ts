import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ServiceError,
  TokenSubmission,
  type NewTokenRecord,
  type Principal,
  type TokenRecord,
} from '@lab/contracts';
import { issueToken } from '@lab/persistence';
import { DtoPipe, lookupName, readListQuery, readQuery } from '../routes/index.js';
import { Authentication } from './authentication.js';
import { Caller } from './caller.js';
import { NeedsIdentity } from './needs.js';
import { TokenStore, type KeptToken } from './token-store.js';
import { hasRole } from './roles.js';

/** Tokens of access: an administrator makes and sees all, everybody else their own. */
@NeedsIdentity()
@Controller('api')
export class TokensController {
  constructor(
    private readonly tokens: TokenStore,
    private readonly authentication: Authentication,
  ) {}

  @Get('me')
  me(@Caller() caller: Principal, @Query() query: unknown): Principal {
    readQuery(query, []);
    return caller;
  }

  @Post('tokens')
  async create(
    @Body(new DtoPipe(TokenSubmission)) submission: TokenSubmission,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<NewTokenRecord> {
    readQuery(query, []);
    const made = issueToken(submission, caller.name, Date.now());
    requireOwn(caller, made.row);
    await this.tokens.add(made.row);
    return { ...shown({ ...made.row, ...unused }), token: made.token };
  }

  @Get('tokens')
  async list(
    @Caller() caller: Principal,
    @Query() query: unknown,
  ): Promise<{ items: TokenRecord[]; next_cursor: string | null }> {
    const { cursor, ...rest } = readQuery(query, ['limit', 'cursor'] as const);
    const { limit } = readListQuery(rest, []);
    const found = await this.tokens.list({
      // One more than asked for tells whether there is another page.
      limit: limit + 1,
      ...(hasRole(caller, 'admin') ? {} : { name: caller.name }),
      ...(cursor === undefined ? {} : { after: placeOf(cursor) }),
    });
    const items = found.slice(0, limit).map(shown);
    const last = items.at(-1);
    return { items, next_cursor: found.length > limit && last !== undefined ? cursorOf(last) : null };
  }

  @Delete('tokens/:token_id')
  @HttpCode(200)
  async revoke(
    @Param('token_id') given: string,
    @Query() query: unknown,
    @Caller() caller: Principal,
  ): Promise<TokenRecord> {
    readQuery(query, []);
    const id = lookupName(given, 'token');
    const token = await this.tokens.byId(id);
    // Of tokens of others it is not even told whether they are there.
    if (token === undefined || (token.name !== caller.name && !hasRole(caller, 'admin')))
      throw new ServiceError('not_found', `There is no token "${id}" of yours.`);
    await this.tokens.revoke(id, caller.name, new Date().toISOString());
    this.authentication.forget(id);
    return shown((await this.tokens.byId(id)) ?? token);
  }
}

const unused = { last_used_at: null, revoked_at: null, revoked_by: null };

/**
 * An administrator makes any token. Who has signed in at the issuer may make one of their own that does no more than they
 * may. A token makes none: whoever finds one must not be able to keep the access after it is revoked.
 *
 * @throws ServiceError `forbidden`
 */
function requireOwn(
  caller: Principal,
  { name, kind, grants }: Pick<KeptToken, 'name' | 'kind' | 'grants'>,
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
function shown({ hash: _, ...record }: KeptToken): TokenRecord {
  return record;
}

function cursorOf({ created_at, id }: TokenRecord): string {
  return Buffer.from(JSON.stringify([created_at, id])).toString('base64url');
}

/** @throws ServiceError `invalid` */
function placeOf(cursor: string): { created_at: string; id: string } {
  const [created_at, id] = parsed(cursor);
  if (typeof created_at === 'string' && typeof id === 'string' && !Number.isNaN(Date.parse(created_at)))
    return { created_at: new Date(created_at).toISOString(), id };
  throw new ServiceError('invalid', 'The query of the address is not valid.', {
    faults: [{ path: '?cursor', code: 'cursor', message: 'is not one that a list gave' }],
  });
}

function parsed(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
