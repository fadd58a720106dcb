import { Controller, Delete, Post, Req, Res } from '@nestjs/common';
import { ServiceError, type Principal, type SessionRecord } from '@lab/contracts';
import { hashOfToken, issueSession } from '@lab/persistence';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Group, Operation, record } from '../routes/index.js';
import { Authentication, bearerToken } from './authentication.js';
import { Caller } from './caller.js';
import { NeedsIdentity } from './needs.js';
import { requireOwnPage, SessionCookie } from './session-cookie.js';
import { TokenStore } from '../ports/index.js';

/** How long a session lasts. */
export abstract class SessionLife {
  /** Longest life in milliseconds. */
  abstract readonly lifeMs: number;
  /** Time without a request after which it ends, in milliseconds. */
  abstract readonly idleMs: number;
}

/** Sessions of browsers. A page keeps no token: the service keeps the token of the session in a cookie that no script reads. */
@Group('Access')
@NeedsIdentity()
@Controller('api/sessions')
export class SessionsController {
  constructor(
    private readonly tokens: TokenStore,
    private readonly authentication: Authentication,
    private readonly cookie: SessionCookie,
    private readonly life: SessionLife,
  ) {}

  @Operation('Begin a session', record('SessionRecord', 'The session. The answer sets its cookie.'), {
    description:
      'For the page of the service, which sends an access token in the header `Authorization` once. The session has the roles of the token and ends with it. It is in the list of tokens, where it can be revoked.',
  })
  @Post()
  async begin(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionRecord> {
    requireOwnPage(request);
    const source = bearerToken(request.headers.authorization ?? '');
    if (caller.kind === 'local' || source === undefined)
      throw new ServiceError(
        'forbidden',
        caller.kind === 'local'
          ? 'Authentication is off, so that nobody needs a session.'
          : 'A session begins with an access token, and with no other session.',
      );
    const now = Date.now();
    const { token, row } = issueSession(caller, this.life.lifeMs, now);
    const end = await this.tokens.addSession(row, hashOfToken(source));
    if (end === undefined) throw new ServiceError('unauthorized', 'The token is unknown or was revoked.');
    const lifeS = Math.max(1, Math.floor((Date.parse(end) - now) / 1_000));
    void reply.header('set-cookie', this.cookie.given(token, lifeS));
    const { id, name, grants } = row;
    return {
      ...{ id, name, grants },
      expires_at: new Date(end).toISOString(),
      idle_minutes: this.life.idleMs / 60_000,
    };
  }

  @Operation('End this session', record('RevokedTokens', 'The number of sessions that ended.'), {
    description: 'For the page of the service: ends the session of the cookie, and removes the cookie.',
    problems: ['not_found', 'store_unavailable'],
  })
  @Delete('current')
  async end(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ revoked: number }> {
    const token = this.cookie.valueIn(request.headers.cookie);
    const row = token === undefined ? undefined : await this.tokens.byHash(hashOfToken(token));
    if (row?.kind !== 'session')
      throw new ServiceError('not_found', 'The request comes with no session that could end.');
    const revoked = await this.tokens.revoke(row.id, caller.name, new Date().toISOString());
    for (const each of revoked) this.authentication.forget(each);
    void reply.header('set-cookie', this.cookie.taken());
    return { revoked: revoked.length };
  }
}
