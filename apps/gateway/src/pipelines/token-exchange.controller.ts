import { Controller, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ServiceError, tokenExchange, TokenExchange, type ExchangedToken } from '@lab/contracts';
import { issuePipelineToken } from '@lab/persistence';
import type { FastifyRequest } from 'fastify';
import { NeedsNothing, WrongTokens } from '../access/index.js';
import { tokenExchanges } from '../examples/index.js';
import { EachTime } from '../idempotency/index.js';
import { TokenStore } from '../ports/index.js';
import { Action, Group, JsonBody, Operation, record } from '../routes/index.js';
import { PipelineIssuers } from './pipeline-issuers.js';

/** Where a pipeline exchanges its signed token. */
export const tokenExchangePath = '/api/tokens/exchange';

/** Short-lived tokens for pipelines, which then need no secret of this service. */
@Group('Access')
@Controller()
export class TokenExchangeController {
  constructor(
    private readonly issuers: PipelineIssuers,
    private readonly tokens: TokenStore,
    private readonly wrong: WrongTokens,
  ) {}

  @NeedsNothing()
  // The signed token in the body shows who asks.
  @RouteConfig({ ticket: true })
  @EachTime()
  @Operation(
    'Exchange a signed token of a pipeline',
    record('ExchangedToken', 'A token of this service that lives for minutes.'),
    {
      description:
        'For pipelines of an issuer in `auth.pipelines` of the configuration, by the names of RFC 8693. The request needs no other token. The service verifies the signature, the audience and the times of the signed token. The rules of the configuration say which roles its claims give, always for named laboratories. A signed token can be exchanged once, within an hour of its signature.',
      problems: ['unauthorized', 'forbidden', 'service_unavailable', 'store_unavailable'],
    },
  )
  @Action(tokenExchangePath)
  async exchange(
    @JsonBody(TokenExchange, tokenExchanges) { subject_token: signed }: TokenExchange,
    @Req() request: FastifyRequest,
  ): Promise<ExchangedToken> {
    this.wrong.admit(request.ip);
    try {
      return await this.tokenFor(signed, request);
    } catch (error) {
      // Each counts, also one that could not be checked: strangers must not make this service ask an issuer again and again.
      this.wrong.note(request.ip);
      throw error;
    }
  }

  private async tokenFor(signed: string, request: FastifyRequest): Promise<ExchangedToken> {
    const worth = await this.issuers.worthOf(signed);
    const { token, row } = issuePipelineToken(worth, Date.now());
    if (!(await this.tokens.addExchanged(row)))
      throw new ServiceError(
        'unauthorized',
        'This token was exchanged before. Get another one from the issuer: each can be exchanged once.',
      );
    const { id, name, grants } = row;
    // From here on the caller is known, so that the audit names the pipeline.
    request.principal = { name, kind: 'oidc', grants, pipeline: worth.origin };
    request.auditDetail = { token: id, grants: grants.map((grant) => ({ ...grant })) };
    return {
      ...{ access_token: token, issued_token_type: tokenExchange.issuedType, token_type: 'Bearer' },
      ...{ expires_in: worth.lifeMs / 1_000, id, grants },
    };
  }
}
